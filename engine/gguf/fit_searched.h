// Chooses the codes and scales of quantised blocks by search: what files are quantised with.
#pragma once

#include <span>

#include "gguf/row_piece.h"

namespace hearth {

// True if fit_searched() takes the encoding; others have fit() alone.
bool has_search(const Encoding& encoding);

// Looks for the codes and scales that err least: the sum over a block's values of
// importance * sqrt(2 * mean square of the block + x^2) * (x - stored)^2, of ScaleKind::Bytes16 of
// importance * (x - stored)^2. What a block stores of d and minimum is chosen together with the
// scales that multiply it, and codes are nearest to what is stored.
//   values      finite, whole blocks, at most RowPiece::kValues
//   importance  as many, finite, not negative; empty: all alike
// Precondition: has_search(encoding). Any thread; a block depends on its own values alone.
void fit_searched(const Encoding& encoding, std::span<const float> values,
                  std::span<const float> importance, RowPiece& piece);

}  // namespace hearth
