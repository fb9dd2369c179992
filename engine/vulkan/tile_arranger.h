// The GPU's part of laying out the processor's tiles: the maps of all matrices that have one, in
// the GPU's memory, and the dispatches that follow them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <hearth/result.h>

#include "compute/weight_source.h"
#include "vulkan/arena.h"
#include "vulkan/recorded_commands.h"
#include "vulkan/tile_map.h"

namespace hearth::vulkan {

class TileArranger {
public:
    // The GPU's memory for the tables of all maps.
    static constexpr std::uint64_t kTableBytes = std::uint64_t{1} << 20;
    static constexpr std::size_t kNoMap = ~std::size_t{0};

    // The number of the map for such a matrix. kNoMap: there is none, or no room for its tables.
    std::size_t map_of(const WeightSource& weights, const SourceShape& shape);
    // The source's tiles of n_rows rows take so many bytes.
    static std::uint64_t bytes_of(const SourceShape& shape, std::uint64_t n_rows);

    // Brings the tables of all maps to `room`, kTableBytes that stay theirs. OutOfMemory,
    // DeviceLost.
    Result<void> upload(const std::shared_ptr<Device>& device, const BufferView& room);

    // Rows of a source in a slice of a matrix. Several sources take turns in a slice's rows.
    struct Rows {
        BufferView tiles;
        std::uint64_t count = 0;
        std::uint64_t turn = 0, n_turns = 1;
    };
    // Slices of one matrix: with turn 0 goes what they have beside the tiles.
    void record(Recorder& recorder, std::size_t map, const Rows& rows, const MatrixLayout& layout,
                const BufferView& slice) const;

private:
    struct Mapped {
        TileMap map;
        BufferView words, moves, patterns;  // patterns: empty where blocks name none
    };
    std::vector<Mapped> maps_;
    std::uint64_t table_bytes_ = 0;
};

}  // namespace hearth::vulkan
