// How a matrix lies in a GPU's memory. The parts of a file's block are stored in separate runs, so
// that neighbouring threads load neighbouring 16 bytes (shaders/include/weights.glsl has the
// layout).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gguf/dtype.h"
#include "vulkan/arena.h"

namespace hearth::vulkan {

namespace params {
struct MatrixParams;
}

// Columns that shaders take together, whatever the blocks of the file.
inline constexpr int kBlockColumns = 32;

// Whether shaders multiply with the type, and add its rows.
bool has_matrix_layout(DType type);
// Whether the type can be multiplied with an input of signed bytes.
bool is_quantized(DType type);

// The runs of bytes of one slice, one after another. In each run all rows follow each other.
struct MatrixLayout {
    MatrixLayout() = default;
    // cols: a multiple of 32 and of the type's own block.
    MatrixLayout(DType type, std::uint64_t rows, std::uint64_t cols);

    struct Run {
        std::uint64_t at = 0;         // from the slice's beginning
        std::uint64_t row_bytes = 0;  // of one row
    };
    DType type{};
    std::uint64_t rows = 0;
    std::uint64_t blocks = 0;  // of 32 columns, in a row
    Run quads, high, scales, supers;
    std::uint64_t bytes = 0;

    params::MatrixParams params() const;
    // The bytes that a product with one vector reads.
    std::uint64_t read_bytes() const { return bytes; }
    // The threads among which down_rows.comp shares a row: one a load of 16 bytes, or a block of 32
    // packed columns.
    std::uint64_t row_loads() const;
};

// Of the type that takes most.
std::uint64_t matrix_bytes_max(std::uint64_t rows, std::uint64_t cols);

// The patterns that blocks of the type name, which lie at the beginning of a slice's high run.
// Empty: they name none.
std::span<const std::byte> listed_patterns(DType type);

// Where the runs of a slice begin, or the parts of one of its rows.
struct RunPlaces {
    std::byte* quads = nullptr;
    std::byte* high = nullptr;
    std::byte* scales = nullptr;
    std::byte* supers = nullptr;
    std::uint64_t row = 0;  // of the slice
};
// Of a slice that lies at `base`, and of row `row` of such runs.
RunPlaces runs_of(const MatrixLayout& layout, std::byte* base);
RunPlaces places_of_row(const MatrixLayout& layout, const RunPlaces& runs, std::uint64_t row);
// Splits columns [first_col, first_col + 32 layout.blocks) of a file's row, which is of the
// layout's type, and writes each run's part: layout.quads.row_bytes bytes to `quads`, and so on.
// Padding is 0. first_col: a multiple of 32.
void put_in_runs(const MatrixLayout& layout, const std::byte* file_row, std::uint64_t first_col,
                 const RunPlaces& to);

// A matrix in as many pieces as the driver's largest binding needs. Each piece is a run of its
// rows.
struct GpuMatrix {
    struct Slice {
        MatrixLayout layout;
        std::uint64_t first_row = 0;
        BufferView view;
    };
    DType type{};
    std::uint64_t rows = 0;
    std::uint64_t cols = 0;
    std::vector<Slice> slices;

    bool present() const { return rows > 0; }
    std::uint64_t bytes() const;
    // What a product with one row reads of it, without padding between runs. 0 where there is none.
    std::uint64_t row_bytes() const;
};

// The slice that has the row. Precondition: the matrix has it.
const GpuMatrix::Slice& slice_of(const GpuMatrix& matrix, std::uint64_t row);

// True if the high run has no numbers of rows but listed_patterns(), which all rows share.
bool keeps_patterns(const MatrixLayout& layout);

// Plans a matrix that has no memory yet. Each slice holds a multiple of `unit` rows.
// range_bytes_max: the largest binding.
GpuMatrix plan_matrix(DType type, std::uint64_t rows, std::uint64_t cols, std::uint64_t unit,
                      std::uint64_t range_bytes_max);

}  // namespace hearth::vulkan
