// Finds Inf and NaN in what a file holds and in what is computed from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <hearth/result.h>

#include "gguf/dtype.h"

namespace hearth {

// Whether no value is Inf or NaN. As fast as the values can be read.
bool all_finite(std::span<const float> values);

// The same of n_rows rows of `cols` values, `stride` bytes from one to the next: every value of
// F32, F16 and BF16, every block's f16 scale of the quantised types. Preconditions as
// dequantize_row().
bool rows_are_finite(DType type, const std::byte* rows, std::uint64_t n_rows, std::uint64_t stride,
                     std::uint64_t cols);

// The same of neuron rows (convert_neuron_row.h), padding included: kernels multiply it with zeros.
bool neuron_rows_are_finite(DType type, const std::byte* rows, std::uint64_t n_rows,
                            std::uint64_t stride, std::uint64_t cols);

// BadFile, about the first value that is not finite: "blk.3.ffn_norm.weight: value 17 is NaN".
// what: "value", "token"; first: the number of the first of them. Precondition:
// !all_finite(values).
Error not_finite(std::string_view name, std::string_view what, std::span<const float> values,
                 std::uint64_t first = 0);

// Likewise of rows of which rows_are_finite() is false, counted from first_row:
// "blk.3.ffn_up.weight: the scale of row 5, block 2 is Inf".
Error rows_not_finite(std::string_view name, DType type, const std::byte* rows,
                      std::uint64_t n_rows, std::uint64_t stride, std::uint64_t cols,
                      std::uint64_t first_row);

}  // namespace hearth
