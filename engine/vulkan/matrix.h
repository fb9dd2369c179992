// How a matrix lies in a GPU's memory: what lies together in a file's block is taken apart, so that
// neighbouring threads load neighbouring 16 bytes (shaders/include/weights.glsl has the layout).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gguf/dtype.h"
#include "vulkan/arena.h"

namespace hearth::vulkan {

namespace params {
struct MatrixParams;
}

// Columns of a block, of every type.
inline constexpr int kBlockColumns = 32;

// Whether shaders multiply with the type, and whether they add its rows (down_rows.comp).
bool has_matrix_form(DType type);
bool has_row_form(DType type);
// Whether an input of signed bytes will do.
bool is_quantized(DType type);

// Runs of bytes of one slice, one after another; in each all rows follow each other.
struct MatrixLayout {
    MatrixLayout() = default;
    // cols: a multiple of 32, and of 256 for Q6_K.
    MatrixLayout(DType type, std::uint64_t rows, std::uint64_t cols);

    struct Run {
        std::uint64_t at = 0;         // from the slice's beginning
        std::uint64_t row_bytes = 0;  // of one row
    };
    DType type = DType::F32;
    std::uint64_t rows = 0;
    std::uint64_t blocks = 0;  // of a row
    Run quads, high, scales, supers;
    std::uint64_t bytes = 0;

    params::MatrixParams params() const;
    // Bytes a product with one vector reads.
    std::uint64_t read_bytes() const { return bytes; }
};

// Takes the blocks [first_block, first_block + layout.blocks) of a file's row apart and writes each
// run's share of it: to `quads` its layout.quads.row_bytes bytes, and so on. Padding is 0.
struct RowPlaces {
    std::byte* quads = nullptr;
    std::byte* high = nullptr;
    std::byte* scales = nullptr;
    std::byte* supers = nullptr;
};
void take_apart(const MatrixLayout& layout, const std::byte* file_row, std::uint64_t first_block,
                const RowPlaces& to);

// A matrix in as many pieces as the driver's largest binding asks for, each a run of its rows.
struct GpuMatrix {
    struct Slice {
        MatrixLayout layout;
        std::uint64_t first_row = 0;
        BufferView view;
    };
    DType type = DType::F32;
    std::uint64_t rows = 0;
    std::uint64_t cols = 0;
    std::vector<Slice> slices;

    bool present() const { return rows > 0; }
    std::uint64_t bytes() const;
    // What a product with one row reads of it, without padding between runs. 0 where there is none.
    std::uint64_t row_bytes() const;
};

// Without memory yet. Slices hold a multiple of `unit` rows each. range_bytes_max: of one binding.
GpuMatrix plan_matrix(DType type, std::uint64_t rows, std::uint64_t cols, std::uint64_t unit,
                      std::uint64_t range_bytes_max);

}  // namespace hearth::vulkan
