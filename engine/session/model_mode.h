// What a mode asks of a model's file. Loading and planning go through here, so that both refuse
// the same, in the same words.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <hearth/result.h>

#include "gguf/reader.h"
#include "model/model_spec.h"
#include "model/weights.h"
#include "plan/plan.h"

namespace hearth {

// As EngineOptions has them; empty: as the file says.
struct ModeOptions {
    std::string mode, activation;
    std::string predictors_path, predictor_input;  // of "predicted"
    std::string thresholds_path;                   // of "approximate"
    std::string kv;                                // EngineOptions::kv; empty: "f16"
};

// A model as a mode has it.
struct ModeModel {
    FeedForwardMode mode{};  // as asked for
    ModelSpec spec;
    ModelTensors tensors;
    std::unique_ptr<GgufFile> predictor_file;  // holds the predictors; null: the model does
};

// InvalidArgument: no such mode, activation or kind of input; the model has not what the mode
// needs, or its activation makes it useless. Errors of read_model_spec(), bind_tensors(),
// bind_predictors() and read_thresholds(). Those of the model's file do not all name it.
Result<ModeModel> open_mode(const ModeOptions& options, const GgufFile& model);

// Why this mode leaves GPUs alone; empty: it does not. InvalidArgument: `gpu` names one
// (EngineOptions::gpu).
Result<std::string> why_no_gpu(FeedForwardMode mode, const std::string& gpu);

}  // namespace hearth
