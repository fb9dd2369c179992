// Rows of every type the engine computes with, to and from float, as the table of encodings says.
// Plain loops: these define what a type means; the kernels in cpu/ are checked against them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gguf/dtype.h"

namespace hearth {

// Whether the table of encodings has the type: what dequantize_row and quantize_row take.
bool is_computable(DType type);

// Bytes of a row of `cols` values. Precondition: cols is a multiple of the type's block.
std::uint64_t row_bytes(DType type, std::uint64_t cols);

// row: row_bytes(type, out.size()) bytes, no alignment asked. Preconditions: is_computable(type);
// out.size() a multiple of the type's block.
void dequantize_row(DType type, const std::byte* row, std::span<float> out);

// out: row_bytes(type, values.size()) bytes. How scales are chosen: gguf/fit.h. Values that are not
// finite become 0; what a half or bfloat16 cannot hold becomes the largest that it can. Any thread;
// the bytes depend on the values alone.
void quantize_row(DType type, std::span<const float> values, std::byte* out);

// The same for files, whose weights are rounded once and read for years: a search, which takes some
// fifty times as long, finds the scales that err least (gguf/fit_searched.h) in the types that have
// a choice. The others are as quantize_row() makes them, and so is Q4_0 without importance.
// importance: how much the squared error of each value counts, as many as values, not negative;
// empty: all alike. A block of the row depends on its own values and importance alone.
void quantize_row_searched(DType type, std::span<const float> values,
                           std::span<const float> importance, std::byte* out);

}  // namespace hearth
