// Converts neuron rows (gguf/convert_neuron_row.h) to tiles.
#pragma once

#include "gguf/convert_neuron_row.h"

namespace hearth {

// Converts 1 to 16 neuron rows, `stride` bytes apart, to the tile that pack_tile() makes of
// the same rows. Missing rows become zero.
void neuron_rows_to_tile(DType type, const std::byte* rows, std::size_t stride, int n_rows,
                         int cols, std::byte* tile);

}  // namespace hearth
