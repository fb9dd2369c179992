// Chooses the codes and scales of quantised blocks.
#pragma once

#include <cstdint>
#include <span>

#include "gguf/row_piece.h"

namespace hearth {

// `x` as a half, or the largest half where it is beyond; 0 for what is no number.
std::uint16_t saturated_half(float x);

// Codes of 8 bits are rounded to nearest with d = max|x| / 127. Of codes of 4 bits the scale of
// each block is searched for the least squared error, each error weighted by sqrt|x|. Others lay
// the extreme of each scale's values at the outermost code and round to nearest. values: finite,
// whole blocks, at most RowPiece::kValues.
void fit(const Encoding& encoding, std::span<const float> values, RowPiece& piece);

}  // namespace hearth
