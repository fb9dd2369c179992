// Thresholds below which a feed-forward block's inputs count as zero, calibrated on a text: a GGUF
// file of keys alone.
//
//   general.architecture       str     "hearth-thresholds"
//   hearth.format_version      u32     1
//   hearth.model_hash          str     of the model, as model_hash() has it
//   hearth.threshold.sparsity  f32     share of inputs that lay below, 0 to 1
//   hearth.threshold.tokens    u64     of the text
//   hearth.threshold.input     f32 []  one a layer: of gate's and up's input
//   hearth.threshold.hidden    f32 []  one a layer: of down's
//
// Method: TEAL, arXiv 2408.14690.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <hearth/result.h>

#include "gguf/reader.h"
#include "model/weights.h"

namespace hearth {

struct Thresholds {
    std::string model_hash;
    double sparsity = 0;
    std::uint64_t tokens = 0;
    std::vector<float> input, hidden;  // [n_layer] each, finite, not negative
};

// BadFile names the field and what is wrong with it: no such file of keys, another number of layers
// than n_layer, a threshold that is negative or no number. Unsupported: made by a newer version.
// InvalidArgument: `model_hash` is another than the file's.
Result<Thresholds> read_thresholds(const GgufFile& file, int n_layer,
                                   const std::string& model_hash);

// Beside `path` and renamed. WriteFailed, DiskFull, PermissionDenied.
Result<void> write_thresholds(const std::string& path, const Thresholds& thresholds);

// From now on the layers have them. Precondition: as many as layers.
void use_thresholds(const Thresholds& thresholds, ModelTensors& tensors);

}  // namespace hearth
