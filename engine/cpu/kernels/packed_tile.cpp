#include "cpu/kernels/packed_tile.h"

#include <cstring>

namespace hearth::kernels {
namespace {

constexpr std::size_t kRows = 16;

template <class Word, class Change>
void change_each(std::byte* at, std::size_t count, std::size_t step, Change&& change) {
    for (std::size_t i = 0; i < count; ++i, at += step) {
        Word word;
        std::memcpy(&word, at, sizeof word);
        word = change(word);
        std::memcpy(at, &word, sizeof word);
    }
}

// Its own inverse.
std::uint32_t swap_neighbours(std::uint32_t bits) {
    const std::uint32_t differ = (bits ^ bits >> 1) & 0x22222222U;
    return bits ^ differ ^ differ << 1;
}
// Its own inverse too.
std::uint32_t swap_middle(std::uint32_t bytes) {
    return (bytes & 0xFF0000FFU) | (bytes & 0xFF00U) << 8 | (bytes >> 8 & 0xFF00U);
}
std::uint32_t signs_apart(std::uint32_t word) {
    std::uint32_t bytes = 0;
    for (int i = 0; i < 4; ++i) {
        bytes |= ((word >> 7 * i & 127U) | (word >> (28 + i) & 1U) << 7) << 8 * i;
    }
    return bytes;
}
std::uint32_t signs_together(std::uint32_t bytes) {
    std::uint32_t word = 0;
    for (int i = 0; i < 4; ++i) {
        const std::uint32_t byte = bytes >> 8 * i;
        word |= (byte & 127U) << 7 * i | (byte >> 7 & 1U) << (28 + i);
    }
    return word;
}

// The bits of a file's block in the order of tiles; or back.
template <bool back>
void arrange(Packing packing, std::byte* block) {
    const auto signs = back ? signs_together : signs_apart;
    switch (packing) {
        case Packing::Bits3:
            return change_each<std::uint32_t>(block, 8, 4, swap_neighbours);
        case Packing::Eights256:
            change_each<std::uint32_t>(block + 2, 8, 8, swap_middle);
            return change_each<std::uint32_t>(block + 6, 8, 8, signs);
        case Packing::Eights1024:
            return change_each<std::uint32_t>(block + 2, 8, 4, swap_middle);
        case Packing::Fours256:
            return change_each<std::uint32_t>(block + 66, 8, 4, signs);
        default:
            return;
    }
}

template <std::size_t unit>
void spread_units(const std::byte* from, std::size_t count, std::byte* to) {
    for (std::size_t i = 0; i < count; ++i) {
        std::memcpy(to + i * kRows * unit, from + i * unit, unit);
    }
}
template <std::size_t unit>
void gather_units(const std::byte* from, std::size_t count, std::byte* to) {
    for (std::size_t i = 0; i < count; ++i) {
        std::memcpy(to + i * unit, from + i * kRows * unit, unit);
    }
}

}  // namespace

void put_packed_block(Packing packing, std::size_t bytes, const std::byte* block, std::size_t row,
                      std::byte* tile) {
    const PackedParts parts = packed_parts(packing);
    if (parts.count == 0) {
        std::memcpy(tile + row * bytes, block, bytes);
        return;
    }
    std::byte arranged[kMostPackedBytes];
    std::memcpy(arranged, block, bytes);
    arrange<false>(packing, arranged);
    for (int i = 0; i < parts.count; ++i) {
        const auto [unit, count, at] = parts.of[i];
        std::byte* to = tile + row * unit;
        switch (unit) {
            case 1:
                spread_units<1>(arranged + at, count, to);
                break;
            case 2:
                spread_units<2>(arranged + at, count, to);
                break;
            default:
                spread_units<4>(arranged + at, count, to);
        }
        tile += kRows * unit * count;
    }
}

void take_packed_block(Packing packing, std::size_t bytes, const std::byte* tile, std::size_t row,
                       std::byte* block) {
    const PackedParts parts = packed_parts(packing);
    if (parts.count == 0) {
        std::memcpy(block, tile + row * bytes, bytes);
        return;
    }
    for (int i = 0; i < parts.count; ++i) {
        const auto [unit, count, at] = parts.of[i];
        const std::byte* from = tile + row * unit;
        switch (unit) {
            case 1:
                gather_units<1>(from, count, block + at);
                break;
            case 2:
                gather_units<2>(from, count, block + at);
                break;
            default:
                gather_units<4>(from, count, block + at);
        }
        tile += kRows * unit * count;
    }
    arrange<true>(packing, block);
}

}  // namespace hearth::kernels
