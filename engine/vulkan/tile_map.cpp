#include "vulkan/tile_map.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <random>

#include "base/assert.h"
#include "gguf/encoding.h"
#include "gguf/rows.h"
#include "include/params.h"

namespace hearth::vulkan {
namespace {

constexpr std::uint64_t kLongestPeriod = 512;
constexpr unsigned kWordBits = 32;
// More would take longer to follow than to convert.
constexpr std::size_t kMostMoves = 8;

std::uint64_t tile_words(DType type, std::uint64_t cols) {
    return TileMap::kRows * row_bytes(type, cols) / sizeof(std::uint32_t);
}

const MatrixLayout::Run& run_of(const MatrixLayout& layout, std::size_t run) {
    const std::array runs{&layout.quads, &layout.high, &layout.scales, &layout.supers};
    return *runs[run];
}

// A run that tiles have. A list of patterns is in the layout and in no tile.
bool is_in_tiles(DType type, std::size_t run) {
    return run != 1 || listed_patterns(type).empty();
}

// The processor's way: a tile of `cols` columns in the runs of a matrix of 16 rows.
std::vector<std::uint32_t> converted(DType type, std::uint64_t cols,
                                     std::span<const std::uint32_t> tile,
                                     const TileMap::Unpack& unpack) {
    std::vector<std::byte> rows(TileMap::kRows * row_bytes(type, cols));
    unpack(type, reinterpret_cast<const std::byte*>(tile.data()), static_cast<int>(cols),
           rows.data());
    const MatrixLayout layout(type, TileMap::kRows, cols);
    std::vector<std::uint32_t> out(layout.bytes / sizeof(std::uint32_t));
    const RunPlaces runs = runs_of(layout, reinterpret_cast<std::byte*>(out.data()));
    for (std::uint64_t r = 0; r < TileMap::kRows; ++r) {
        put_in_runs(layout, rows.data() + r * row_bytes(type, cols), 0,
                    places_of_row(layout, runs, r));
    }
    return out;
}

// True if each run of a row takes whole words of a period, so that the next one begins at a word.
bool is_whole(DType type, std::uint64_t period) {
    const MatrixLayout one(type, TileMap::kRows, period);
    const MatrixLayout four(type, TileMap::kRows, 4 * period);
    for (std::size_t run = 0; run < 4; ++run) {
        if (is_in_tiles(type, run) &&
            run_of(four, run).row_bytes != 4 * run_of(one, run).row_bytes) {
            return false;
        }
    }
    return true;
}

}  // namespace

TileMap::TileMap(DType type, std::uint64_t cols, std::uint64_t period)
    : type_(type), cols_(cols), period_(period) {}

std::optional<TileMap> TileMap::find(DType type, std::uint64_t cols, const Unpack& unpack) {
    if (!has_matrix_layout(type) || cols % dtype_info(type).block_values != 0) {
        return std::nullopt;
    }
    for (std::uint64_t period = kBlockColumns; period <= kLongestPeriod; period *= 2) {
        if (period % dtype_info(type).block_values != 0 || !is_whole(type, period)) {
            continue;
        }
        TileMap map(type, cols, period);
        map.learn(unpack);
        if (map.holds(unpack)) {
            return map;
        }
    }
    return std::nullopt;
}

std::array<std::uint64_t, 4> TileMap::row_words(std::uint64_t cols) const {
    const MatrixLayout layout(type_, kRows, cols);
    std::array<std::uint64_t, 4> words{};
    for (std::size_t run = 0; run < words.size(); ++run) {
        words[run] = run_of(layout, run).row_bytes / sizeof(std::uint32_t);
    }
    return words;
}

// Each bit of a tile gets its number in binary, one digit a trial.
void TileMap::learn(const Unpack& unpack) {
    const std::size_t n_from = tile_words(type_, period_);
    const std::vector<std::uint32_t> nothing =
        converted(type_, period_, std::vector<std::uint32_t>(n_from), unpack);
    const auto trial = [&](auto bits_of_word) {
        std::vector<std::uint32_t> tile(n_from);
        for (std::size_t w = 0; w < n_from; ++w) {
            tile[w] = bits_of_word(w);
        }
        std::vector<std::uint32_t> out = converted(type_, period_, tile, unpack);
        for (std::size_t w = 0; w < out.size(); ++w) {
            out[w] ^= nothing[w];
        }
        return out;
    };
    const std::vector<std::uint32_t> moved = trial([](std::size_t) { return ~0U; });
    std::vector<std::vector<std::uint32_t>> digits;
    for (unsigned digit = 0; std::size_t{1} << digit < n_from * kWordBits; ++digit) {
        digits.push_back(trial([&](std::size_t w) {
            std::uint32_t bits = 0;
            for (unsigned bit = 0; bit < kWordBits; ++bit) {
                bits |= static_cast<std::uint32_t>((w * kWordBits + bit) >> digit & 1) << bit;
            }
            return bits;
        }));
    }
    const MatrixLayout layout(type_, kRows, period_);
    const std::array<std::uint64_t, 4> row = row_words(period_);
    for (std::size_t run = 0; run < row.size(); ++run) {
        for (std::uint64_t r = 0; r < kRows && is_in_tiles(type_, run); ++r) {
            for (std::uint64_t at = 0; at < row[run]; ++at) {
                const std::size_t w = run_of(layout, run).at / 4 + r * row[run] + at;
                const std::size_t first = moves_.size();
                for (unsigned bit = 0; bit < kWordBits; ++bit) {
                    if ((moved[w] >> bit & 1) == 0) {
                        continue;
                    }
                    std::size_t from = 0;
                    for (std::size_t d = 0; d < digits.size(); ++d) {
                        from |= static_cast<std::size_t>(digits[d][w] >> bit & 1) << d;
                    }
                    const auto turn = static_cast<std::uint32_t>((bit - from) % kWordBits);
                    const auto word =
                        static_cast<std::uint32_t>(from / kWordBits) | turn << TILE_MOVE_TURN;
                    std::size_t move = first;
                    while (move < moves_.size() && moves_[move] != word) {
                        move += 2;
                    }
                    if (move == moves_.size()) {
                        moves_.insert(moves_.end(), {word, 0});
                    }
                    moves_[move + 1] |= std::uint32_t{1} << bit;
                }
                const std::size_t n_moves = (moves_.size() - first) / 2;
                words_.insert(words_.end(), {static_cast<std::uint32_t>(run | r << 2 | at << 8),
                                             static_cast<std::uint32_t>(first / 2),
                                             static_cast<std::uint32_t>(n_moves), nothing[w]});
            }
        }
    }
}

// Follows the map as arrange_tiles.comp does.
std::vector<std::uint32_t> TileMap::arranged(std::span<const std::uint32_t> tile) const {
    const MatrixLayout layout(type_, kRows, cols_);
    std::vector<std::uint32_t> out(layout.bytes / sizeof(std::uint32_t));
    const std::array<std::uint64_t, 4> row = row_words(cols_);
    const std::array<std::uint64_t, 4> of_period = row_words(period_);
    const std::uint64_t n_from = tile_words(type_, period_);
    for (std::uint64_t period = 0; period * period_ < cols_; ++period) {
        for (std::size_t i = 0; i < words_.size(); i += 4) {
            const std::size_t run = words_[i] & 3;
            const std::uint64_t r = words_[i] >> 2 & 15;
            const std::uint64_t at = period * of_period[run] + (words_[i] >> 8);
            if (at >= row[run]) {
                continue;
            }
            std::uint32_t value = words_[i + 3];
            for (std::size_t m = words_[i + 1]; m < words_[i + 1] + words_[i + 2]; ++m) {
                const std::uint32_t move = moves_[2 * m];
                const std::uint64_t from = period * n_from + (move & ((1U << TILE_MOVE_TURN) - 1));
                value ^= from < tile.size()
                             ? std::rotl(tile[from], static_cast<int>(move >> TILE_MOVE_TURN)) &
                                   moves_[2 * m + 1]
                             : 0;
            }
            out[run_of(layout, run).at / 4 + r * row[run] + at] = value;
        }
    }
    return out;
}

bool TileMap::holds(const Unpack& unpack) const {
    if (moves_.size() / 2 > kMostMoves * words_.size() / 4) {
        return false;
    }
    std::mt19937 random(1);
    std::vector<std::uint32_t> tile(tile_words(type_, cols_));
    std::generate(tile.begin(), tile.end(), [&] { return static_cast<std::uint32_t>(random()); });
    std::vector<std::uint32_t> wanted = converted(type_, cols_, tile, unpack);
    if (!is_in_tiles(type_, 1)) {
        const MatrixLayout layout(type_, kRows, cols_);
        std::fill(wanted.begin() + static_cast<std::ptrdiff_t>(layout.high.at / 4),
                  wanted.begin() + static_cast<std::ptrdiff_t>(layout.scales.at / 4), 0U);
    }
    return arranged(tile) == wanted;
}

std::uint64_t TileMap::words_of_tile() const {
    return words_.size() / 4 * ((cols_ + period_ - 1) / period_);
}

params::ArrangeTilesParams TileMap::params(const MatrixLayout& layout, std::uint64_t n_rows,
                                           std::uint64_t turn, std::uint64_t n_turns) const {
    HEARTH_ASSERT(layout.type == type_ && layout.blocks * kBlockColumns == cols_);
    const auto word = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
    const std::array<std::uint64_t, 4> row = row_words(cols_);
    const std::array<std::uint64_t, 4> of_period = row_words(period_);
    return {.runs = {{word(layout.quads.at / 4), word(row[0]), word(of_period[0])},
                     {word(layout.high.at / 4), word(row[1]), word(of_period[1])},
                     {word(layout.scales.at / 4), word(row[2]), word(of_period[2])},
                     {word(layout.supers.at / 4), word(row[3]), word(of_period[3])}},
            .n_words = word(words_.size() / 4),
            .words_of_tile = word(words_of_tile()),
            .tile_words = word(tile_words(type_, cols_)),
            .period_words = word(tile_words(type_, period_)),
            .n_rows = word(n_rows),
            .turn = word(turn),
            .n_turns = word(n_turns)};
}

}  // namespace hearth::vulkan
