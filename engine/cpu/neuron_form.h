// Converts a file's rows to the row form of kernels/neuron_rows.h and back, and from there to
// tiles.
#pragma once

#include <cstddef>

#include "gguf/dtype.h"

namespace hearth {

// Bytes of one row of `cols` values of a type in row form, padding included. cols: a
// multiple of the type's block.
std::size_t row_form_bytes(DType type, int cols);

// Converts one row of the file to row form, padding included.
void to_row_form(DType type, const std::byte* file_row, int cols, std::byte* out);

// Converts one row in row form back to the file's row.
// file_row: row_bytes(type, cols).
void from_row_form(DType type, const std::byte* row, int cols, std::byte* file_row);

// Converts 1 to 16 rows in row form, `stride` bytes apart, to the tile that pack_tile() makes of
// the same rows. Missing rows become zero.
void row_form_to_tile(DType type, const std::byte* rows, std::size_t stride, int n_rows, int cols,
                      std::byte* tile);

}  // namespace hearth
