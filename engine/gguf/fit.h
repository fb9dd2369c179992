// Chooses the codes and scales of quantised blocks, in the time that a test or a pack has.
// gguf/fit_searched.h takes longer and errs less.
#pragma once

#include <cstdint>
#include <span>

#include "gguf/row_piece.h"

namespace hearth {

// `x` as a half, or the largest half where it is beyond; 0 for what is no number.
std::uint16_t saturated_half(float x);

// How scales are chosen, by kind:
//   Bits8             d = max|x| / 127
//   Bits4 with Half   searched for the least squared error, each error weighted by sqrt|x|
//   with HalfMin      the least value is the minimum, the greatest lies at the last code
//   with SixMin       as fit_searched() does (gguf/fit_searched.h)
//   with Six          searched for the least squared error of 32 values, weighted likewise, then
//                     rounded to six bits
//   with Half: Table16  the extreme lies at the end of the table that gives the smaller error
//   with Power        the extreme lies at the largest number or just beyond, whichever errs less
//   others            the extreme of each scale's values lies at the outermost code
// Codes are rounded to nearest. values: finite, whole blocks, at most RowPiece::kValues.
void fit(const Encoding& encoding, std::span<const float> values, RowPiece& piece);

}  // namespace hearth
