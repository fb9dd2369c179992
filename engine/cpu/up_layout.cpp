#include "cpu/up_layout.h"

#include <algorithm>
#include <cstring>

#include "base/assert.h"
#include "cpu/neuron_rows_to_tile.h"
#include "cpu/pack_rows.h"
#include "gguf/rows.h"

namespace hearth {
namespace {

using kernels::kTileRows;

// A tile never takes more bytes than the rows it is made of, which are padded. So groups of 16
// neurons that are moved in this order overwrite no group that is still to be moved; where both
// forms take the same bytes each group stays at its place, and threads share them out.
template <class Move>
void for_each_group(ThreadPool& pool, int n_groups, bool same_size, bool ascending, Move&& move) {
    if (same_size) {
        pool.run(n_groups, [&](int group, int worker) { move(group, worker); });
        return;
    }
    for (int i = 0; i < n_groups; ++i) {
        move(ascending ? i : n_groups - 1 - i, 0);
    }
}

struct Sizes {
    Sizes(DType type, int n_neurons, int n_embd)
        : n_groups((n_neurons + kTileRows - 1) / kTileRows),
          row(neuron_row_bytes(type, n_embd)),
          file_row(row_bytes(type, static_cast<std::uint64_t>(n_embd))),
          tile(file_row * kTileRows),
          same(tile == row * kTileRows) {
        HEARTH_ASSERT(tile <= row * kTileRows);
    }
    int n_groups;
    std::size_t row, file_row, tile;
    bool same;
};

}  // namespace

void lay_up_in_tiles(CpuLayer& layer, int n_embd, ThreadPool& pool, std::byte* scratch,
                     std::size_t scratch_stride) {
    HEARTH_ASSERT(layer.up_place != nullptr);
    CpuRows& rows = layer.rows[Role::Up];
    if (!rows.present()) {
        return;
    }
    const Sizes sizes(rows.type, layer.n_neurons, n_embd);
    for_each_group(pool, sizes.n_groups, sizes.same, true, [&](int group, int worker) {
        std::byte* tile = scratch + static_cast<std::size_t>(worker) * scratch_stride;
        const int first = group * kTileRows;
        neuron_rows_to_tile(rows.type, rows.row(first), rows.bytes,
                            std::min(kTileRows, layer.n_neurons - first), n_embd, tile);
        std::memcpy(layer.up_place + static_cast<std::size_t>(group) * sizes.tile, tile,
                    sizes.tile);
    });
    layer.tiles[Role::Up] = {rows.type, layer.n_neurons, n_embd, layer.up_place};
    rows = {};
}

void lay_up_in_rows(CpuLayer& layer, int n_embd, ThreadPool& pool, std::byte* scratch,
                    std::size_t scratch_stride) {
    HEARTH_ASSERT(layer.up_place != nullptr);
    if (layer.rows[Role::Up].present()) {
        return;
    }
    const DType type = layer.tiles[Role::Up].type;
    const Sizes sizes(type, layer.n_neurons, n_embd);
    for_each_group(pool, sizes.n_groups, sizes.same, false, [&](int group, int worker) {
        std::byte* rows = scratch + static_cast<std::size_t>(worker) * scratch_stride;
        const int first = group * kTileRows;
        const int n = std::min(kTileRows, layer.n_neurons - first);
        unpack_tile(type, layer.up_place + static_cast<std::size_t>(group) * sizes.tile, n, n_embd,
                    rows);
        for (int i = 0; i < n; ++i) {
            to_neuron_row(type, rows + static_cast<std::size_t>(i) * sizes.file_row, n_embd,
                          layer.up_place + static_cast<std::size_t>(first + i) * sizes.row);
        }
    });
    layer.rows[Role::Up] = {type, layer.up_place, sizes.row};
    layer.tiles[Role::Up] = {};
}

}  // namespace hearth
