// Where pieces of quantised rows (gguf/row_piece.h) lie in tiles, for every kind of code and of
// scales. What converts between two layouts takes a piece from the one and puts it into the other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gguf/row_piece.h"

namespace hearth {

// Tiles (kernels/kernels.h): n values of row r of a tile. `tile`: where the tile's bytes of the
// piece begin, kTileRows times as far from the tile's beginning as the piece is from the row's in
// the file.
void put_in_tile(const Encoding& encoding, const RowPiece& piece, int n, std::size_t r,
                 std::byte* tile);

void take_from_tile(const Encoding& encoding, const std::byte* tile, std::size_t r, int n,
                    RowPiece& piece);

}  // namespace hearth
