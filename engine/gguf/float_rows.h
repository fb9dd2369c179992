// The type of rows that are floats, as dequantize_row() writes them.
#pragma once

#include "gguf/dtype.h"

namespace hearth {

inline constexpr DType kFloatRows = DType::F32;

}  // namespace hearth
