// arrange_tiles.comp and the maps that it follows: the layout that the processor makes of the same
// tiles, bit for bit.
#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "cpu/pack_rows.h"
#include "engine/vulkan/shader_checks.h"
#include "gguf/rows.h"
#include "include/params.h"
#include "interfaces/arrange_tiles.h"
#include "vulkan/shader_catalog.h"
#include "vulkan/tile_map.h"

namespace hearth::test {
namespace {

namespace interfaces = vulkan::interfaces;
using vulkan::MatrixLayout;
using vulkan::TileMap;

constexpr std::uint64_t kTileRows = TileMap::kRows;

// A mixture's gates and ups take turns.
struct ArrangeCase {
    DType type{};
    std::uint64_t cols = 0;
    std::uint64_t n_rows = 0;
    std::uint64_t n_turns = 1;
};

void unpack(DType type, const std::byte* tile, int cols, std::byte* rows) {
    unpack_tile(type, tile, static_cast<int>(kTileRows), cols, rows);
}

CheckOutcome check_arranged(const ShaderDevice& on, const ArrangeCase& one) {
    const std::optional<TileMap> map = TileMap::find(one.type, one.cols, unpack);
    if (!map) {
        return {false, "there is no map"};
    }
    const MatrixLayout layout(one.type, one.n_turns * one.n_rows, one.cols);
    const std::uint64_t n_tiles = (one.n_rows + kTileRows - 1) / kTileRows;
    const std::uint64_t row_size = row_bytes(one.type, one.cols);
    ShaderRig rig(on);
    const RigBuffer& arranged = rig.room_for<std::uint32_t>(layout.bytes / 4);
    const auto words = rig.buffer_of(std::vector(map->words().begin(), map->words().end())).view;
    const auto moves = rig.buffer_of(std::vector(map->moves().begin(), map->moves().end())).view;
    std::mt19937 random(5);
    std::vector<std::byte> expected(layout.bytes);
    const vulkan::RunPlaces runs = vulkan::runs_of(layout, expected.data());
    for (std::uint64_t turn = 0; turn < one.n_turns; ++turn) {
        std::vector<std::uint32_t> tiles(n_tiles * kTileRows * row_size / 4);
        std::generate(tiles.begin(), tiles.end(), std::ref(random));
        std::vector<std::byte> rows(n_tiles * kTileRows * row_size);
        for (std::uint64_t t = 0; t < n_tiles; ++t) {
            unpack(one.type, reinterpret_cast<std::byte*>(tiles.data()) + t * kTileRows * row_size,
                   static_cast<int>(one.cols), rows.data() + t * kTileRows * row_size);
        }
        for (std::uint64_t r = 0; r < one.n_rows; ++r) {
            vulkan::put_in_runs(layout, rows.data() + r * row_size, 0,
                                places_of_row(layout, runs, r * one.n_turns + turn));
        }
        constexpr std::uint32_t kThreads = 64;
        rig.dispatch(
            vulkan::shader_of<interfaces::ArrangeTiles>(), {.WORKGROUP = kThreads},
            {.tiles = rig.buffer_of(tiles).view,
             .words = words,
             .moves = moves,
             .arranged = arranged.view},
            map->params(layout, one.n_rows, turn, one.n_turns),
            {groups_for(map->words_of_tile(), kThreads), static_cast<std::uint32_t>(n_tiles), 1});
    }
    rig.run();
    // Between runs nothing is written.
    const std::span<const std::byte> got = arranged.as<std::byte>();
    std::size_t wrong = 0;
    for (const MatrixLayout::Run* run :
         {&layout.quads, &layout.high, &layout.scales, &layout.supers}) {
        if (run == &layout.high && !vulkan::listed_patterns(one.type).empty()) {
            continue;  // of no tile
        }
        for (std::uint64_t i = run->at; i < run->at + run->row_bytes * layout.rows; ++i) {
            wrong += got[i] != expected[i] ? 1 : 0;
        }
    }
    return {wrong == 0, std::to_string(wrong) + " bytes of " + std::to_string(layout.bytes) +
                            " are wrong; " + std::to_string(map->moves().size() / 2) +
                            " moves for " + std::to_string(map->words().size() / 4) + " words"};
}

}  // namespace

void add_arrange_checks(const ShaderDevice& on, std::vector<KernelCheck>& checks) {
    for (const DType type : matrix_types()) {
        const std::uint64_t block = std::max<std::uint64_t>(dtype_info(type).block_values, 32);
        // The last period is whole, and is cut off.
        for (const std::uint64_t blocks : {8U, 5U}) {
            for (const std::uint64_t turns : {1U, 2U}) {
                const ArrangeCase one{type, blocks * block, 40, turns};
                checks.push_back(checked("shader/arrange " + std::string(dtype_info(type).name) +
                                             " " + std::to_string(one.cols) +
                                             (turns > 1 ? " two in turns" : ""),
                                         [on, one] { return check_arranged(on, one); }));
            }
        }
    }
}

}  // namespace hearth::test
