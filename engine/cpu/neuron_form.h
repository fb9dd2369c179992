// File rows to the row form of kernels/neuron_rows.h, and from there to tiles.
#pragma once

#include <cstddef>

#include "gguf/dtype.h"

namespace hearth {

// Bytes of one row of `cols` values in row form, whole cache lines. cols: a multiple of the type's
// block.
std::size_t row_form_bytes(DType type, int cols);

// One row as the file has it to one in row form, padding included.
void to_row_form(DType type, const std::byte* file_row, int cols, std::byte* out);

// 1 to 16 rows in row form, `stride` bytes apart, to the tile that pack_tile() makes of the same
// rows; missing rows become zero.
void row_form_to_tile(DType type, const std::byte* rows, std::size_t stride, int n_rows, int cols,
                      std::byte* tile);

}  // namespace hearth
