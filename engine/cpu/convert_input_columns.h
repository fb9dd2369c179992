// File rows to the layout of kernels/input_columns.h, and from there to tiles.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gguf/dtype.h"

namespace hearth {

// A view of a matrix by input; the arena owns the bytes.
struct ColumnMatrix {
    DType type{};
    int rows = 0;  // outputs
    int cols = 0;  // inputs, a multiple of 32
    const std::byte* data = nullptr;

    bool present() const { return rows > 0; }
};

// type, here and below: one that has the layout InputColumn.
std::uint64_t input_column_bytes(DType type, int rows, int cols);

// Writes rows [first, first + n_rows) of a matrix of `rows` rows to their places in the matrix at
// `out`. file_rows: as a file of `type` has them. first: a multiple of 128. n_rows: 128, or what is
// left. The places of rows that do not exist become zero.
void to_input_columns(DType type, const std::byte* file_rows, int first, int n_rows, int rows,
                      int cols, std::byte* out);

// Makes the tile that pack_tile() makes of rows [first_row, first_row + 16). first_row: a multiple
// of 16.
void input_columns_to_tile(const ColumnMatrix& matrix, int first_row, std::byte* tile);

}  // namespace hearth
