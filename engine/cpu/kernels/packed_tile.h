// Tiles of packed blocks (CodeKind::Packed): the bits of the file's blocks of 16 rows, moved so
// that a register takes all rows at once.
//
// A tile's block of 256 columns has the parts that packed_parts() lists, one after another. Units
// of a part interleave the rows: unit i of row r lies at (16 i + r) * unit bytes. Three things
// differ from the file:
//   Bits3                bits 1 and 2 of a byte of third bits change places, and bits 5 and 6: the
//                        bits of two neighbouring runs of 32 columns then stand as far apart as
//                        their low bits
//   Eights256, 1024      of four numbers of patterns the second and the third change places: words
//                        of them then belong to 16 columns
//   Eights256, Fours256  a word of signs is four bytes, of seven signs each; bit 7 of byte i is bit
//                        i of the level
// The blocks of Ternary32 and Ternary16 stand whole, one after another: no register takes rows of
// them at once. A tile's block has as many bytes as its 16 rows have in the file.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gguf/code_kinds.h"

namespace hearth::kernels {

// Units of a part: bytes of one, how many a row has, and where they begin in a file's block.
struct PackedPart {
    std::uint8_t unit, count, at;
};
struct PackedParts {
    PackedPart of[5];
    int count;
};

constexpr PackedParts packed_parts(Packing packing) {
    switch (packing) {
        case Packing::Bits2:  // codes, scales below minima, halves
            return {{{4, 16, 16}, {1, 16, 0}, {2, 2, 80}}, 3};
        case Packing::Bits3:  // low bits, third bits, scales, a half
            return {{{4, 16, 32}, {4, 8, 0}, {1, 12, 96}, {2, 1, 108}}, 4};
        case Packing::Eights256:  // a run's numbers, a run's signs, a half
            return {{{4, 16, 2}, {2, 1, 0}}, 2};
        case Packing::Eights512:  // numbers and signs, levels, a half
            return {{{4, 16, 2}, {1, 8, 66}, {2, 1, 0}}, 3};
        case Packing::Eights1024:  // numbers, signs, their high bits, levels, a half
            return {{{4, 8, 2}, {4, 8, 34}, {1, 8, 66}, {1, 8, 74}, {2, 1, 0}}, 5};
        case Packing::Fours256:  // numbers, signs, a half
            return {{{4, 16, 2}, {4, 8, 66}, {2, 1, 0}}, 3};
        case Packing::Fours512:  // numbers, signs, their high bits, levels, a half
            return {{{4, 16, 2}, {4, 8, 74}, {1, 8, 66}, {1, 4, 106}, {2, 1, 0}}, 5};
        default:  // of Ternary: whole blocks
            return {};
    }
}
// From a tile's block to its part `part`.
constexpr std::size_t packed_part_at(Packing packing, int part) {
    const PackedParts parts = packed_parts(packing);
    std::size_t at = 0;
    for (int i = 0; i < part; ++i) {
        at += std::size_t{16} * parts.of[i].unit * parts.of[i].count;
    }
    return at;
}

inline constexpr std::size_t kMostPackedBytes = 110;  // of a file's block

// Puts a block of the file, of `bytes` bytes, into row `row` of a tile's block, and takes it out.
void put_packed_block(Packing packing, std::size_t bytes, const std::byte* block, std::size_t row,
                      std::byte* tile);
void take_packed_block(Packing packing, std::size_t bytes, const std::byte* tile, std::size_t row,
                       std::byte* block);

}  // namespace hearth::kernels
