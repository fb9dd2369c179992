// Packed models: feed-forward weights as one record per neuron, so that one read brings all of a
// neuron. Written by tools/pack.
//
//   general.alignment              u32     a multiple of 4096, so that clusters begin at pages
//   hearth.packed.version          u32     1 or 2
//   hearth.packed.neuron_bytes     u32     of a record, the same in every layer; a multiple of 64
//   hearth.packed.cluster_neurons  u32     64
//   hearth.packed.gate_type        str []  one a layer: "Q4_0", ...; "" where blocks have no gate
//   hearth.packed.up_type          str []
//   hearth.packed.down_type        str []
//   hearth.model_hash              str     of the file it was made from
//   hearth.activation              str     of the blocks, as to_string(Activation) has it
//   blk.N.ffn_neurons.weight       I8      [n_ff in whole clusters, neuron_bytes]
//   blk.N.ffn_permutation          I32     [n_ff]
//   blk.N.ffn_gate.weight          (gate)  [n_ff, n_embd]; need not be there
//
// A record is the neuron's gate row, its up row and its down row (its column of ffn_down), without
// a gap; then zeros up to neuron_bytes. In version 1 each is the row_bytes(type, n_embd) bytes of
// its type, in version 2 a neuron row (gguf/neuron_row.h): kernels compute with what was read.
// Neurons stand by hotness: place i holds neuron permutation[i] of the original file. Cluster k is
// records [64 k, 64 k + 64); records beyond n_ff are zeros. Whatever else has a neuron for an index
// (fc2's rows, the profile's columns, biases of gate and up) stands in the same order.
//
// ffn_gate.weight is the gate matrix: the gates of the records again, rows as in a model's file, in
// the records' order. A token that computes all gates reads them from there where RAM has room for
// neither them nor the records: a record brings its gate only with all else. See gate_matrix.h.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <hearth/result.h>

#include "gguf/reader.h"
#include "model/model_spec.h"
#include "model/roles.h"
#include "model/weights.h"

namespace hearth {

inline constexpr std::uint32_t kPackedVersion = 2;           // the newest
inline constexpr std::uint32_t kPackedNeuronRowVersion = 2;  // and all after it
inline constexpr std::uint32_t kPackedAlignment = 4096;
inline constexpr std::uint32_t kPackedClusterNeurons = 64;
inline constexpr std::uint32_t kPackedNeuronAlignment = 64;
// Of a record's rows, in their order.
inline constexpr std::array kRecordRoles{Role::Gate, Role::Up, Role::Down};
std::span<const Role> record_roles(bool gated);
// neuron_bytes of a new file whose longest record takes `bytes`. In version 2 whole sectors of 512
// bytes, which direct reads want, where they cost at most a twenty-fifth.
std::uint64_t padded_neuron_bytes(std::uint64_t bytes, std::uint32_t version);

struct PackedLayer {
    const TensorInfo* neurons = nullptr;      // [n_ff in whole clusters, neuron_bytes], I8
    const TensorInfo* permutation = nullptr;  // [n_ff], I32
    const TensorInfo* gates = nullptr;        // [n_ff, n_embd] of the gates' type; null: no matrix
    ByRole<Weight> rows;                      // of gate, up and down, in the records
};

struct PackedLayout {
    std::uint32_t version = 0;
    std::uint64_t neuron_bytes = 0;
    std::uint64_t cluster_neurons = 0;
    bool gated = true;
    std::string model_hash;
    std::vector<PackedLayer> layers;

    bool in_neuron_rows() const { return version >= kPackedNeuronRowVersion; }
};

// Whether the file says that it is one; nothing is checked.
bool is_packed(const GgufFile& file);

// From keys and the tensor table alone; pointers into the file's table. What it returns can be used
// without further checks: every record lies inside its tensor, every row inside its record, types
// are computable and rows whole blocks. BadFile names the key or tensor and both numbers.
// Unsupported: made by a newer version, or of a type nothing here computes with.
Result<PackedLayout> read_packed_layout(const GgufFile& file, const ModelSpec& spec);

// What a tensor holds: values of its type; of records, the rows of gate, up and down, each of its
// own type, without what fills records and clusters up.
struct TensorContent {
    DType type{};
    std::uint64_t values = 0;
    std::uint64_t bytes = 0;
};
// layout: of the file, null where it is not packed.
std::vector<TensorContent> contents_of(const TensorInfo& tensor, const PackedLayout* layout);
// Whether it is no weight of the model but what was noted beside it: the records' permutation, a
// profile's counts, or the gates a second time.
bool is_side_note(const TensorInfo& tensor, const PackedLayout* layout);

// Whether any layer has its gates in a matrix too.
bool has_gate_matrices(const PackedLayout& layout);

// The layer's permutation, [n_ff], checked to be one: the original neuron at each place.
// BadFile, ReadFailed.
Result<std::vector<std::int32_t>> read_permutation(const GgufFile& file, const PackedLayer& layer);
// Of all layers.
Result<std::vector<std::vector<std::int32_t>>> read_neuron_order(const GgufFile& file,
                                                                 const PackedLayout& layout);

}  // namespace hearth
