// What making a predictor reads of the model itself.
#pragma once

#include <vector>

#include <hearth/result.h>

#include "gguf/reader.h"
#include "model/weights.h"

namespace hearth::tools {

// The rows that decide whether a neuron fires: gate's, or up's of a block without gates.
const Weight& deciding_rows(const LayerTensors& layer);

// The first n_rows rows as floats, [n_rows, rows.cols]. ReadFailed.
Result<std::vector<float>> read_rows(const GgufFile& file, const Weight& rows);

// How long each neuron's share of `down` is: its column, or its row where the file has down
// transposed. [n_ff]. ReadFailed.
Result<std::vector<float>> read_down_norms(const GgufFile& file, const Weight& down);

}  // namespace hearth::tools
