// Activation predictors of a model, read from a side file or from the model file itself: small
// two-layer networks that say from a block's input which neurons will fire. (PowerInfer, section
// 5.1; file forms: references/powerinfer-format.md, sections 4 and 6.)
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

// Widths are multiples of the first; above the second a file is broken: published predictors end
// at 2048, and one as wide as its block has neurons would cost more than it can save.
inline constexpr std::uint64_t kPredictorWidthStep = 32;
inline constexpr std::uint64_t kMostPredictorWidth = 32768;

enum class PredictorInput {
    Normed,    // what gate and up are multiplied with
    Residual,  // the residual stream that the block's norm reads
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

// The predictors in `file`, which may be
//   - a side file "hearth-predictors", made for the model with that hash;
//   - a model with predictors inside: PowerInfer's (input: residual, by definition of that format)
//     or a packed one (hearth.predictor.* as in a side file);
//   - any other GGUF with blk.N.fc1.weight and blk.N.fc2.weight.
// What the input is comes from hearth.predictor.input, else from PowerInfer's format, else from
// `stated`, what the user says; it is never guessed. Thresholds: hearth.predictor.thresholds (f32,
// one a layer), else hearth.predictor.threshold, else powerinfer.sparse_threshold, else 0.
//
// A model file without predictors gives layers that all run exact. BadFile: a side file without
// any, one of a pair missing, a shape that does not fit the spec, a layer the model lacks, a
// threshold that is no finite number, another model's hash, no statement about the input.
// Unsupported: a newer version, another kind, a type nothing here computes with, biases.
// InvalidArgument: `stated` contradicts the file. The message names the tensor or key and the
// numbers. model_hash: of the model, empty if unknown; then it is not compared. Pointers are into
// file.tensors().
Result<PredictorTensors> bind_predictors(const GgufFile& file, const ModelSpec& spec,
                                         const std::string& model_hash,
                                         std::optional<PredictorInput> stated = std::nullopt);

}  // namespace hearth
