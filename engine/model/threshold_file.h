// A threshold file says below which size the inputs of a feed-forward block count as zero. The
// thresholds were calibrated on a text. The file is a GGUF that holds keys and no tensors.
//
//   general.architecture       str     "hearth-thresholds"
//   hearth.format_version      u32     1
//   hearth.model_hash          str     of the model, as model_hash() has it
//   hearth.threshold.sparsity  f32     share of inputs that lay below, 0 to 1
//   hearth.threshold.tokens    u64     of the text
//   hearth.threshold.input     f32 []  one per layer: for the input of gate and up
//   hearth.threshold.hidden    f32 []  one per layer: for the input of down
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

// BadFile names the field and what is wrong with it: the file holds no thresholds, it has another
// number of layers than n_layer, a threshold is negative or no number. Unsupported: a newer version
// made the file. InvalidArgument: `model_hash` is another than the file's.
Result<Thresholds> read_thresholds(const GgufFile& file, int n_layer,
                                   const std::string& model_hash);

// Writes the file beside `path` and renames it. WriteFailed, DiskFull, PermissionDenied.
Result<void> write_thresholds(const std::string& path, const Thresholds& thresholds);

// Gives each layer its two thresholds. Precondition: there is one of each per layer.
void use_thresholds(const Thresholds& thresholds, ModelTensors& tensors);

}  // namespace hearth
