// Fitted predictors as files: one a layer while others are still being fitted, then all in one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <hearth/result.h>
#include <hearth/tools.h>

#include "gguf/recipes.h"
#include "model/model_spec.h"

namespace hearth::tools {

// Weights as they stand in a file: rows of blocks.
struct PredictorWeights {
    DType fc1_type = kPredictorType;  // of [width, n_embd]
    DType fc2_type = kPredictorType;  // of [n_ff, width]
    std::vector<std::byte> fc1;
    std::vector<std::byte> fc2;
};

struct FittedLayer {
    PredictorLayerReport report;
    PredictorWeights weights;  // empty if the layer is left out
};

// One finished layer. `key` stands for everything it depends on.
Result<void> write_layer(const std::string& path, const std::string& key, const ModelSpec& spec,
                         const FittedLayer& layer);
// Empty if there is no such file, or it is another run's or broken: then the layer is made anew.
std::optional<FittedLayer> read_layer(const std::string& path, const std::string& key,
                                      const ModelSpec& spec, int layer);

struct PredictorFileHeader {
    std::string model_hash;
    std::string name;  // of the model
    std::string kind;
    std::string input;
};

// The side file; layers that are not there or left out have no tensors in it. Returns its bytes.
Result<std::uint64_t> write_predictors(const std::string& path, const PredictorFileHeader& header,
                                       const ModelSpec& spec,
                                       const std::vector<FittedLayer>& layers);

}  // namespace hearth::tools
