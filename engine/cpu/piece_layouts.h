// Where pieces of quantised rows (gguf/row_piece.h) lie in the processor's layouts, for every kind
// of code and of scales. What converts between a file and a layout, or between two layouts, takes a
// piece from the one and puts it into the other.
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

// Rows of neurons (kernels/neuron_rows.h): n values from column `first` on, a multiple of 256, of a
// row of row_form_cols() columns. Codes beyond n, up to a multiple of 128, are put as zeros.
void put_in_row(const Encoding& encoding, RowPiece& piece, int first, int n, int cols,
                std::byte* row);
void take_from_row(const Encoding& encoding, const std::byte* row, int first, int n, int cols,
                   RowPiece& piece);

// 128 codes of a row or of an input. `low`: their low four bits, or all eight of Bits8; `high`: the
// bits above, 16 bytes for each bit that lies apart.
void put_low(CodeKind kind, const std::uint8_t* codes, std::byte* low);
void put_high(CodeKind kind, const std::uint8_t* codes, std::byte* high);

}  // namespace hearth
