// How a file stores a weight's numbers: one row a weight type. Executors, packers, the planner and
// the quantiser read the row and never ask for a type by name. (Block layouts: gguf/blocks.h.)
#pragma once

#include <cstdint>

#include "gguf/code_kinds.h"
#include "gguf/dtype.h"

namespace hearth {

// The ways in which units hold a matrix. Each holds the file's own numbers: nothing is rounded or
// widened when a layout is made.
enum class Layout : std::uint8_t {
    Tile = 1,         // 16 rows interleaved: cpu/kernels/kernels.h
    NeuronRow = 2,    // one row by itself: cpu/kernels/neuron_rows.h
    InputColumn = 4,  // by input: cpu/kernels/input_columns.h
    GpuMatrix = 8,    // runs of like parts: vulkan/matrix.h
    GpuRow = 16,      // the same, added row by row: shaders/kernels/down_rows.comp
};

struct Encoding {
    DType type;
    CodeKind codes;
    ScaleKind scales;
    int zero;  // value = scale * (code - zero)
    std::uint8_t layouts;

    constexpr bool has(Layout layout) const {
        return (layouts & static_cast<std::uint8_t>(layout)) != 0;
    }
};

// Null: nothing here computes with the type.
const Encoding* find_encoding(DType type);
// Precondition: find_encoding(type) is not null.
const Encoding& encoding_of(DType type);

}  // namespace hearth
