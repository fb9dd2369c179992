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

}  // namespace hearth
