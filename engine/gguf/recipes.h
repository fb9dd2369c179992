// In which type a tensor is written: what quantize, pack and train-predictor choose themselves.
#pragma once

#include <cstdint>
#include <string>

#include "gguf/encoding.h"

namespace hearth {

// Norms and biases: they are few, and every token adds or multiplies them.
inline constexpr DType kVectorType = DType::F32;

// Activations that are kept as samples. Any number of them makes a row.
inline constexpr DType kSampleType = DType::F16;

// Importance matrices: sums of squares and their counts.
inline constexpr DType kImportanceType = DType::F32;

// Of a predictor's matrices, unless the user says otherwise.
inline constexpr DType kPredictorType = DType::Q8_0;

// What a processor's speed is measured with.
inline constexpr DType kMeasuredType = DType::Q8_0;

// Rows of `cols` values that are no whole number of a type's blocks become the type with blocks of
// 32 that loses no more (Q4_K: Q5_0, Q5_K: Q5_1, Q6_K: Q8_0), or halves.
DType type_that_fits(DType wanted, std::uint64_t cols);

// A down projection whose rows shall be neurons. `stored`: its type in the file; by_neuron: whether
// its rows are neurons there already. Turning it makes other blocks, so its values are rounded
// again: to a type fine enough that this does not show.
DType neuron_down_type(DType stored, bool by_neuron, std::uint64_t cols);

// Whether pack writes down projections in the type, and train-predictor predictors; "F32, F16 and
// Q8_0": all those types.
bool is_written(DType type);
std::string written_types();

}  // namespace hearth
