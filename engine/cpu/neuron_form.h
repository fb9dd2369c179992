// File rows to the row form of kernels/neuron_rows.h, from there to tiles and back.
#pragma once

#include <cstddef>

#include "gguf/dtype.h"

namespace hearth {

// The type rows of a file's type have in row form: Q8_0 for Q5_0, exactly; F16 for Q6_K, whose
// values it rounds to 11 bits (no file seen has neurons of that type, so it has no form of its
// own); every other type as itself.
DType row_form_type(DType file_type);

// Bytes of one row of `cols` values of a file's type in row form, whole cache lines. cols: a
// multiple of the type's block.
std::size_t row_form_bytes(DType type, int cols);

// One row as the file has it to one in row form, padding included.
void to_row_form(DType type, const std::byte* file_row, int cols, std::byte* out);

// A row in row form of a row_form_type() as a file of that type has it: row_bytes(type, cols).
void from_row_form(DType type, const std::byte* row, int cols, std::byte* file_row);

// 1 to 16 rows in row form, `stride` bytes apart, to the tile that pack_tile() makes of the same
// rows; missing rows become zero. type: a row_form_type().
void row_form_to_tile(DType type, const std::byte* rows, std::size_t stride, int n_rows, int cols,
                      std::byte* tile);

}  // namespace hearth
