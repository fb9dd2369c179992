// How a file stores a weight's numbers: one row a weight type. Executors, packers, the planner and
// the quantiser read the row and never ask for a type by name. Block layouts: GGUF specification.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "gguf/code_kinds.h"
#include "gguf/dtype.h"

namespace hearth {

// The ways in which units hold a matrix. Each holds the file's own numbers: nothing is rounded or
// widened when a layout is made.
enum class Layout : std::uint8_t {
    Tile = 1,         // 16 rows interleaved: cpu/kernels/kernels.h
    NeuronRow = 2,    // one row by itself: gguf/neuron_row.h
    InputColumn = 4,  // by input: cpu/kernels/input_columns.h
    GpuMatrix = 8,    // runs of like parts: vulkan/matrix.h
    GpuRow = 16,      // the same, added row by row: shaders/kernels/down_rows.comp
};

// Where the parts of a quantised block lie: bytes from its beginning. A part that a type has not is
// at kNone.
struct BlockShape {
    static constexpr std::uint8_t kNone = 255;

    std::uint8_t halves[2] = {kNone, kNone};  // Encoding::n_halves() of them: d, a minimum
    // Bytes16: a signed byte for each 16 values. Power: a byte. SixMin: 12 bytes; the low six bits
    // of the first four are the scales of runs 0 to 3 of 32 values, of the next four their minima;
    // the last four have the low four bits of scales and of minima 4 to 7, whose high bits lie
    // above the six. Six: two bytes with two high bits of each run, four with its low bits.
    std::uint8_t scales = kNone;
    // Codes of 8 bits stand in their order. Of the others the low four bits stand in runs of bytes:
    // a run's low halves are the first `low_run` values, its high halves the next.
    std::uint8_t codes = kNone;
    std::uint8_t low_run = 0;
    // The high bits of codes, in runs of bytes: a byte has those of values that stand `high_run`
    // apart, the first in its lowest bits. 0: bit by bit in the order of the values.
    std::uint8_t high = kNone;
    std::uint8_t high_run = 0;
};

struct Encoding {
    DType type;
    std::uint16_t block_values, block_bytes;
    CodeKind codes;
    ScaleKind scales;
    int zero;  // value = scale * (code - zero), or of a code_table() scale * its entry; plus a
               // minimum (SixMin: minus)
    std::uint8_t layouts;
    BlockShape shape;        // of quantised blocks
    bool written;            // pack and train-predictor offer it: what fit() makes is worth having
    std::uint8_t file_type;  // general.file_type of a file whose weights are mostly this
    Packing packing = Packing::None;

    constexpr bool has(Layout layout) const {
        return (layouts & static_cast<std::uint8_t>(layout)) != 0;
    }
    // Numbers in f16 that lie in one piece in a block.
    constexpr int n_halves() const {
        return packing == Packing::None        ? half_count(scales)
               : packing == Packing::Bits2     ? 2
               : packing == Packing::Ternary16 ? 0
                                               : 1;
    }
    // What is subtracted from a code as RowPiece and the processor's layouts have it.
    constexpr int stored_zero() const { return zero + stored_offset(codes); }
};

// Every weight type, in the order in which messages name them.
std::span<const Encoding> encodings();
// Null: nothing here computes with the type.
const Encoding* find_encoding(DType type);
// Precondition: find_encoding(type) is not null.
const Encoding& encoding_of(DType type);
// "F32, F16 and Q8_0": the types whose rows `wanted` accepts.
std::string encoding_names(bool (*wanted)(const Encoding&));

}  // namespace hearth
