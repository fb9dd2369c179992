// Chooses the codes and scales of quantised blocks: Encoding::fit. `values` are finite, whole
// blocks, and at most RowPiece::kValues of them.
#pragma once

#include <cstdint>
#include <span>

#include "gguf/row_piece.h"

namespace hearth {

// `x` as a half, or the largest half where it is beyond; 0 for what is no number.
std::uint16_t saturated_half(float x);

// Bytes, to nearest with d = max|x| / 127.
void fit_bytes(const Encoding& encoding, std::span<const float> values, RowPiece& piece);

// Codes of four bits with zero 8: searches the scale of each block for the least squared error,
// each error weighted by sqrt|x|.
void fit_nibbles(const Encoding& encoding, std::span<const float> values, RowPiece& piece);

// Codes below 2 * zero: lays each block's extreme at the outermost code and rounds to nearest.
void fit_extreme(const Encoding& encoding, std::span<const float> values, RowPiece& piece);

// The same with ScaleKind::Bytes16, so for each 16 values.
void fit_extreme_of_16(const Encoding& encoding, std::span<const float> values, RowPiece& piece);

}  // namespace hearth
