// Rows of weights as a file stores them (Weight::in_neuron_rows), for everybody who wants them as
// gguf/rows.h has them, or wants to know that they are numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include <hearth/result.h>

#include "model/weights.h"

namespace hearth {

// Bytes that a row of `cols` values takes in a file, padding of neuron rows included.
std::uint64_t stored_row_bytes(DType type, std::uint64_t cols, bool in_neuron_rows);
std::uint64_t stored_row_bytes(const Weight& weight);

// The row as dequantize_row() takes it: `stored` itself, or made of it in `room`, which has
// row_size() bytes.
const std::byte* file_row(const Weight& weight, const std::byte* stored, std::byte* room);

// BadFile about the first of n_rows stored rows, `stride` apart, that holds Inf or NaN, also where
// neuron rows pad it. row_number: of the i-th of them, for the message.
Result<void> check_finite(const Weight& weight, const std::byte* rows, std::uint64_t n_rows,
                          std::uint64_t stride,
                          const std::function<std::uint64_t(std::uint64_t i)>& row_number);

}  // namespace hearth
