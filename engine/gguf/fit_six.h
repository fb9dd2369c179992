// Codes and scales of blocks of 256 whose runs of 32 values have scales of six bits. For fit()
// alone.
#pragma once

#include <cstdint>
#include <span>

#include "gguf/row_piece.h"

namespace hearth {

// Entries of a table of 16 under ScaleKind::Six. values: 256, finite.
void fit_six_table(const std::int8_t* table, std::span<const float> values, RowPiece& piece);

}  // namespace hearth
