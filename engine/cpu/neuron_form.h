// Converts rows in row form (gguf/row_form.h) to tiles.
#pragma once

#include "gguf/row_form.h"

namespace hearth {

// Converts 1 to 16 rows in row form, `stride` bytes apart, to the tile that pack_tile() makes of
// the same rows. Missing rows become zero.
void row_form_to_tile(DType type, const std::byte* rows, std::size_t stride, int n_rows, int cols,
                      std::byte* tile);

}  // namespace hearth
