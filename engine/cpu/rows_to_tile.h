// Four rows of a file at once into a tile: what loads a model, and what lays out experts that come
// from the disk, several times as fast as through pieces (cpu/tile_pieces.h).
#pragma once

#include <cstddef>

#include "gguf/encoding.h"

namespace hearth {

// True if put_four_rows() knows the type: bytes of codes, or each 32 values of a block have their
// low bits in runs of whole bytes, and so have their high bits, if there are any.
bool goes_by_four_rows(const Encoding& encoding);

// As take_apart() and put_in_tile() for rows `first` to first + 3 of a tile, without a byte for
// each code. rows: n values of the first row as the file has it, whole blocks; `stride` bytes to
// the next row. first: a multiple of four. tile: where the tile's bytes of these values begin.
// Precondition: goes_by_four_rows().
void put_four_rows(const Encoding& encoding, const std::byte* rows, std::size_t stride, int n,
                   std::size_t first, std::byte* tile);

}  // namespace hearth
