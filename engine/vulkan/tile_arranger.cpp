#include "vulkan/tile_arranger.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "gguf/rows.h"
#include "include/params.h"
#include "interfaces/arrange_tiles.h"
#include "vulkan/shader_catalog.h"
#include "vulkan/shader_words.h"
#include "vulkan/upload.h"

namespace hearth::vulkan {
namespace {

constexpr std::uint32_t kThreads = 128;

}  // namespace

std::size_t TileArranger::map_of(const WeightSource& weights, const SourceShape& shape) {
    const auto known = std::find_if(maps_.begin(), maps_.end(), [&](const Mapped& one) {
        return one.map.type() == shape.type && one.map.cols() == shape.cols;
    });
    if (known != maps_.end()) {
        return static_cast<std::size_t>(known - maps_.begin());
    }
    std::optional<TileMap> map = TileMap::find(
        shape.type, shape.cols, [&](DType type, const std::byte* tile, int cols, std::byte* rows) {
            weights.rows_of_tile(type, tile, cols, rows);
        });
    if (!map) {
        return kNoMap;
    }
    const std::uint64_t bytes = piece_bytes(map->words().size_bytes()) +
                                piece_bytes(map->moves().size_bytes()) +
                                piece_bytes(listed_patterns(shape.type).size());
    if (table_bytes_ + bytes > kTableBytes) {
        return kNoMap;
    }
    table_bytes_ += bytes;
    maps_.push_back({std::move(*map), {}, {}, {}});
    return maps_.size() - 1;
}

std::uint64_t TileArranger::bytes_of(const SourceShape& shape, std::uint64_t n_rows) {
    return (n_rows + TileMap::kRows - 1) / TileMap::kRows * TileMap::kRows *
           row_bytes(shape.type, shape.cols);
}

Result<void> TileArranger::upload(const std::shared_ptr<Device>& device, const BufferView& room) {
    auto upload = Upload::create(device);
    if (!upload) {
        return std::move(upload).error();
    }
    std::uint64_t end = 0;
    const auto put = [&](std::span<const std::byte> table, BufferView& view) -> Result<void> {
        if (table.empty()) {
            return {};
        }
        view = room.part(end, table.size());
        end += piece_bytes(table.size());
        auto buffer = upload->next();
        if (!buffer) {
            return std::move(buffer).error();
        }
        std::memcpy(buffer->data(), table.data(), table.size());
        const Upload::Copy copy{0, view};
        return upload->start({&copy, 1});
    };
    for (Mapped& mapped : maps_) {
        auto done = put(std::as_bytes(mapped.map.words()), mapped.words);
        if (done) {
            done = put(std::as_bytes(mapped.map.moves()), mapped.moves);
        }
        if (done) {
            done = put(listed_patterns(mapped.map.type()), mapped.patterns);
        }
        if (!done) {
            return done;
        }
    }
    return upload->finish();
}

void TileArranger::record(Recorder& recorder, std::size_t map, const Rows& rows,
                          const MatrixLayout& layout, const BufferView& slice) const {
    const Mapped& mapped = maps_[map];
    if (rows.turn == 0 && mapped.patterns.bytes > 0) {
        recorder.copy(mapped.patterns, slice.part(layout.high.at, mapped.patterns.bytes));
        recorder
            .barrier();  // The dispatch writes other bytes of the slice, but it binds the whole.
    }
    recorder.dispatch(
        shader_of<interfaces::ArrangeTiles>(), {.WORKGROUP = kThreads},
        {.tiles = rows.tiles, .words = mapped.words, .moves = mapped.moves, .arranged = slice},
        mapped.map.params(layout, rows.count, rows.turn, rows.n_turns),
        {.groups = {groups_of(mapped.map.words_of_tile(), kThreads),
                    groups_of(rows.count, TileMap::kRows), 1},
         .label = "arrange",
         .bytes = rows.tiles.bytes});
}

}  // namespace hearth::vulkan
