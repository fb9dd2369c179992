// What a packed file is made from: the feed-forward weights of an ordinary model file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <hearth/cancellation.h>
#include <hearth/result.h>

#include "base/thread_pool.h"
#include "gguf/reader.h"
#include "model/model_spec.h"
#include "model/weights.h"

namespace hearth::tools {

struct PackSourceLayer {
    Weight gate;        // [n_ff, n_embd]; absent: the block has none
    Weight up;          // [n_ff, n_embd]
    Weight down;        // [n_ff, n_embd] if by neuron, else [n_embd, n_ff]; of a mixture such a
                        // matrix an expert, of its neurons
    DType down_type{};  // as it will be stored
};

// How down is stored:
//
//   `down_type`, if given     that type
//   by neuron already         the same type: no value changes
//   F32, F16, BF16            the same type: transposing changes no value
//   any quantised type        Q8_0, its blocks now along the neuron's row; F16 where n_embd is no
//                             whole number of its blocks
//
// Values of 4 bits become Q8_0 since rounding them to 4 bits a second time, along the other axis,
// costs the starter model 0.54 % perplexity, and rounding them to 8 bits nothing. BadFile: a tensor
// is missing or of another shape. Unsupported: experts whose gates and ups are one tensor, a type
// nothing here computes with, or a tensor of the block that this version does not know.
// InvalidArgument: rows are no whole blocks of `down_type`.
Result<std::vector<PackSourceLayer>> find_pack_source(const GgufFile& file, const ModelSpec& spec,
                                                      std::optional<DType> down_type);

// Where in a record the rows lie.
struct RecordShape {
    std::uint64_t neuron_bytes = 0;
    std::uint64_t up_offset = 0;
    std::uint64_t down_offset = 0;
    bool in_neuron_rows = false;  // the rows
};

// Makes the records of one layer. Holds a few MB beside what it is given.
class RecordBuilder {
public:
    // All must outlive it. pool: not in use meanwhile.
    RecordBuilder(const GgufFile& file, const ModelSpec& spec, ThreadPool& pool,
                  const Cancellation& cancellation);

    // order: [n_ff], the neuron at each place. records: [n_ff in whole clusters, neuron_bytes],
    // overwritten. ReadFailed, Cancelled.
    Result<void> build(const PackSourceLayer& layer, const RecordShape& shape,
                       std::span<const std::int32_t> order, std::span<std::byte> records);

private:
    Result<void> build_file_rows(const PackSourceLayer& layer, const RecordShape& shape,
                                 std::span<std::byte> records);
    Result<void> place_rows(const Weight& matrix, std::uint64_t offset, const RecordShape& shape,
                            std::span<std::byte> records);
    Result<void> convert_rows(const Weight& matrix, DType type, const RecordShape& shape,
                              std::span<std::byte> records);
    Result<void> turn_down(const PackSourceLayer& layer, const RecordShape& shape,
                           std::span<std::byte> records);
    Result<void> transpose_values(const Weight& matrix, const RecordShape& shape,
                                  std::span<std::byte> records);
    Result<void> transpose_blocks(const Weight& matrix, DType type, const RecordShape& shape,
                                  std::span<std::byte> records);
    void to_neuron_rows(const PackSourceLayer& layer, const RecordShape& shape,
                        std::span<std::byte> records);
    Result<std::span<const std::byte>> read(const Weight& matrix, std::uint64_t first_row,
                                            std::uint64_t rows);

    const GgufFile& file_;
    const std::size_t n_embd_;
    ThreadPool& pool_;
    const Cancellation& cancellation_;
    std::size_t n_ff_ = 0;              // of the layer that is being built
    std::size_t n_ff_down_ = 0;         // neurons of one of its down projections
    std::size_t first_ = 0;             // neuron of the one that is turned
    std::vector<std::uint64_t> place_;  // [n_ff], where each neuron's record is
    std::vector<std::byte> input_;
    std::vector<float> floats_;
};

}  // namespace hearth::tools
