// Activation predictors are small two-layer networks that say from a block's input which neurons
// will fire. They are read from a side file or from the model file itself. (PowerInfer, section
// 5.1; the file's form: docs/formats/predictors.md.)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <hearth/result.h>

#include "gguf/reader.h"
#include "model/model_spec.h"

namespace hearth {

// general.architecture of a side file, and the newest hearth.format_version read here.
inline constexpr std::string_view kPredictorsArchitecture = "hearth-predictors";
inline constexpr std::uint32_t kPredictorsVersion = 1;

// Widths are multiples of the first number. A width above the second means that the file is broken:
// published predictors end at 2048, and a predictor as wide as its block costs more than it saves.
inline constexpr std::uint64_t kPredictorWidthStep = 32;
inline constexpr std::uint64_t kMostPredictorWidth = 32768;

enum class PredictorInput {
    Normed,    // the normed input, which gate and up are multiplied with
    Residual,  // the residual stream, which the block's norm reads
};
std::string_view to_string(PredictorInput input);  // "normed", "residual": as files spell it
std::optional<PredictorInput> predictor_input_from_name(std::string_view name);

// score = fc2 f(fc1 p), f(v) = max(v, 0), or v itself where `linear`. Neuron i counts as active
// where score[i] >= threshold.
struct LayerPredictor {
    const TensorInfo* fc1 = nullptr;  // [width, n_embd]; both null: the layer runs exact
    const TensorInfo* fc2 = nullptr;  // [n_ff, width], rows are neurons
    float threshold = 0.0F;           // finite

    bool present() const { return fc1 != nullptr; }
    int width() const { return present() ? static_cast<int>(fc1->shape[0]) : 0; }
    std::uint64_t bytes() const { return present() ? fc1->bytes + fc2->bytes : 0; }
};

struct PredictorTensors {
    std::vector<LayerPredictor> layers;  // [n_layer]
    PredictorInput input = PredictorInput::Normed;
    bool linear = false;

    bool any() const;
    std::uint64_t bytes() const;
};

// What the file says of it, or its format by definition; empty: it leaves that open. BadFile,
// Unsupported: it says something else.
Result<std::optional<PredictorInput>> predictor_input_of(const GgufFile& file);

// Reads the predictors in `file`, which may be
//   - a side file "hearth-predictors", made for the model with that hash;
//   - a model with predictors inside: PowerInfer's (input: residual, by definition of that format)
//     or a packed one (hearth.predictor.* as in a side file);
//   - any other GGUF with blk.N.fc1.weight and blk.N.fc2.weight.
// The kind of input comes from hearth.predictor.input, else from PowerInfer's format, else from
// `stated`, which is what the user says. It is never guessed. Thresholds come from
// hearth.predictor.thresholds (f32, one per layer), else from hearth.predictor.threshold, else from
// powerinfer.sparse_threshold, else they are 0.
//
// All layers of a model file without predictors run exact. BadFile: a side file holds none, one of
// a pair is missing, a shape does not fit the spec, the model lacks the layer, a threshold is no
// finite number, the hash is another model's. Unsupported: a newer version, another kind, a type
// that nothing here computes with, biases. InvalidArgument: nothing says what the input is, or
// `stated` contradicts the file. The message names the tensor or key and the numbers. model_hash:
// the model's hash; an empty one is not compared. The result points into file.tensors().
Result<PredictorTensors> bind_predictors(const GgufFile& file, const ModelSpec& spec,
                                         const std::string& model_hash,
                                         std::optional<PredictorInput> stated = std::nullopt);

}  // namespace hearth
