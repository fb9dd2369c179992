// The up projection of a gated block from rows of neurons to tiles and back, where it lies: a token
// alone is computed from rows where few gates are open, and from tiles where most are.
#pragma once

#include <span>

#include "base/thread_pool.h"
#include "cpu/cpu_weights.h"

namespace hearth {

// Lays the layer's up projection out in tiles, or again in rows: its views say which it is in. Not
// a bit of a weight changes. Does nothing where that is its layout already. scratch: a tile of
// floats, 16 * n_embd of them, for each of the pool's threads. Reads and writes the matrix once:
// about a tenth of a second a GB. Precondition: layer.up_place is set.
void lay_up_in_tiles(CpuLayer& layer, int n_embd, ThreadPool& pool, std::byte* scratch,
                     std::size_t scratch_stride);
void lay_up_in_rows(CpuLayer& layer, int n_embd, ThreadPool& pool, std::byte* scratch,
                    std::size_t scratch_stride);

}  // namespace hearth
