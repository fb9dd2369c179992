// The gates of a packed file's records a second time, as a matrix (LayerTensors::gate_matrix).
#pragma once

#include <hearth/result.h>

#include "gguf/reader.h"
#include "model/weights.h"

namespace hearth {

// Compares a few rows of the matrix with the gates of the records at the same places: a matrix of
// another order, layer or model differs in nearly every row. A file that differs in single rows may
// pass, and then what is computed depends on which of both is read. Reads kGateSamples rows of
// each. BadFile names the matrix and the row. ReadFailed. Precondition: the layer has both.
inline constexpr int kGateSamples = 4;
Result<void> check_gate_samples(const GgufFile& file, const LayerTensors& layer);

}  // namespace hearth
