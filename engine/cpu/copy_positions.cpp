#include "cpu/copy_positions.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "cpu/kernels/kernels.h"

namespace hearth {
namespace {

constexpr std::size_t kRows = kernels::kTileRows;

// One row of a tile whose columns stand `rows` apart from each other, as elements of T.
template <class T>
void copy_column(const std::byte* from, std::size_t from_row, std::byte* to, std::size_t to_row,
                 std::size_t n) {
    for (std::size_t c = 0; c < n; ++c) {
        std::memcpy(to + (c * kRows + to_row) * sizeof(T),
                    from + (c * kRows + from_row) * sizeof(T), sizeof(T));
    }
}

// The halves that multiply the bytes of a row; they stand behind these.
void copy_scales(const std::byte* from, std::size_t from_row, std::byte* to, std::size_t to_row,
                 int dim) {
    const std::size_t codes = kRows * static_cast<std::size_t>(dim);
    copy_column<std::uint16_t>(from + codes, from_row, to + codes, to_row,
                               kernels::scale_blocks(dim));
}

void copy_key(KvType kv, int dim, const std::byte* from, std::size_t from_row, std::byte* to,
              std::size_t to_row) {
    if (kv == KvType::F16) {
        copy_column<std::uint16_t>(from, from_row, to, to_row, static_cast<std::size_t>(dim));
        return;
    }
    copy_column<std::uint8_t>(from, from_row, to, to_row, static_cast<std::size_t>(dim));
    copy_scales(from, from_row, to, to_row, dim);
}

void copy_value(KvType kv, int dim, const std::byte* from, std::size_t from_row, std::byte* to,
                std::size_t to_row) {
    const std::size_t row = static_cast<std::size_t>(dim) * (kv == KvType::F16 ? 2 : 1);
    std::memcpy(to + to_row * row, from + from_row * row, row);
    if (kv != KvType::F16) {
        copy_scales(from, from_row, to, to_row, dim);
    }
}

}  // namespace

void copy_positions(const PastPositions& from, int first, int count, int to, std::byte* keys,
                    std::byte* values) {
    const std::size_t key_tile = kernels::past_tile_bytes(from.kv, from.key_dim);
    const std::size_t value_tile = kernels::past_tile_bytes(from.kv, from.value_dim);
    const auto source = static_cast<std::size_t>(first);
    const auto target = static_cast<std::size_t>(to);
    const auto n = static_cast<std::size_t>(count);
    if (source % kRows == 0 && target % kRows == 0) {
        const std::size_t n_tiles = (n + kRows - 1) / kRows;
        std::memcpy(keys + target / kRows * key_tile, from.keys + source / kRows * key_tile,
                    n_tiles * key_tile);
        std::memcpy(values + target / kRows * value_tile, from.values + source / kRows * value_tile,
                    n_tiles * value_tile);
        return;
    }
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t s = source + i;
        const std::size_t t = target + i;
        copy_key(from.kv, from.key_dim, from.keys + s / kRows * key_tile, s % kRows,
                 keys + t / kRows * key_tile, t % kRows);
        copy_value(from.kv, from.value_dim, from.values + s / kRows * value_tile, s % kRows,
                   values + t / kRows * value_tile, t % kRows);
    }
}

}  // namespace hearth
