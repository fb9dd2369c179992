// Says where each bit of a matrix in a GPU's memory lies in the tiles that the processor holds, so
// that tiles can pass the bus as they are and the GPU lays them out itself. The map is found by
// trial: the conversion that the processor would do is given tiles of known bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "gguf/dtype.h"
#include "vulkan/matrix.h"

namespace hearth::vulkan {

namespace params {
struct ArrangeTilesParams;
}

// The map of 16 rows and a period of columns, after which everything repeats.
class TileMap {
public:
    static constexpr std::uint64_t kRows = 16;

    // Writes the 16 rows of a tile as a file has them, one after the other.
    using Unpack =
        std::function<void(DType type, const std::byte* tile, int cols, std::byte* rows)>;

    // Empty: laying out is more than moving bits, or no period does. Tried with random bits, too.
    static std::optional<TileMap> find(DType type, std::uint64_t cols, const Unpack& unpack);

    DType type() const { return type_; }
    std::uint64_t cols() const { return cols_; }
    // For arrange_tiles.comp: its `words`, then its `moves`.
    std::span<const std::uint32_t> words() const { return words_; }
    std::span<const std::uint32_t> moves() const { return moves_; }
    // For rows [0, n_rows) of a source, which are rows turn, turn + n_turns, ... of the layout.
    params::ArrangeTilesParams params(const MatrixLayout& layout, std::uint64_t n_rows,
                                      std::uint64_t turn, std::uint64_t n_turns) const;
    std::uint64_t words_of_tile() const;  // of the layout, which one workgroup row writes

private:
    TileMap(DType type, std::uint64_t cols, std::uint64_t period);
    void learn(const Unpack& unpack);
    bool holds(const Unpack& unpack) const;
    std::array<std::uint64_t, 4> row_words(std::uint64_t cols) const;
    std::vector<std::uint32_t> arranged(std::span<const std::uint32_t> tile) const;

    DType type_;
    std::uint64_t cols_;
    std::uint64_t period_;              // columns
    std::vector<std::uint32_t> words_;  // four each: see arrange_tiles.comp
    std::vector<std::uint32_t> moves_;  // two each
};

}  // namespace hearth::vulkan
