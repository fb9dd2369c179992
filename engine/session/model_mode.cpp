#include "session/model_mode.h"

#include <utility>

#include "model/model_hash.h"
#include "model/predictor_file.h"
#include "model/threshold_file.h"
#include "session/machine_plan.h"
#include "session/processor.h"

namespace hearth {
namespace {

Result<FeedForwardMode> mode_from(const std::string& name) {
    if (name.empty()) {
        return FeedForwardMode::Exact;
    }
    for (const FeedForwardMode mode : {FeedForwardMode::Dense, FeedForwardMode::Exact,
                                       FeedForwardMode::Predicted, FeedForwardMode::Thresholded}) {
        if (name == to_string(mode)) {
            return mode;
        }
    }
    return Error{
        ErrorCode::InvalidArgument,
        "\"" + name + "\" is no mode; \"exact\", \"predicted\", \"approximate\" and \"dense\" are",
        {},
        "mode"};
}

Result<std::optional<Activation>> stated_activation(const std::string& name) {
    if (name.empty()) {
        return std::optional<Activation>();
    }
    const auto activation = activation_from_name(name);
    if (!activation) {
        return Error{ErrorCode::InvalidArgument,
                     "\"" + name +
                         "\" is no activation; silu, reglu, drelu, relu, relu2, gelu and geglu are",
                     {},
                     "activation"};
    }
    return std::optional<Activation>(activation);
}

Result<std::optional<PredictorInput>> stated_input(const std::string& name) {
    if (name.empty()) {
        return std::optional<PredictorInput>();
    }
    const auto input = predictor_input_from_name(name);
    if (!input) {
        return Error{ErrorCode::InvalidArgument,
                     "\"" + name + "\" is no predictor input; \"normed\" and \"residual\" are",
                     {},
                     "predictor_input"};
    }
    return std::optional<PredictorInput>(input);
}

// Reads the model's thresholds and has its layers use them.
Result<void> bind_model_thresholds(const ModeOptions& options, const GgufFile& model,
                                   ModeModel& out) {
    if (options.thresholds_path.empty()) {
        return Error{ErrorCode::InvalidArgument,
                     "the mode \"approximate\" needs a file of thresholds; hearth-cli profile "
                     "--sparsity makes one",
                     {},
                     "thresholds"};
    }
    if (auto possible = check_thresholds(out.spec, out.tensors); !possible) {
        Error error = std::move(possible).error();
        error.path = model.path();
        return error;
    }
    const auto file = GgufFile::open(options.thresholds_path);
    if (!file) {
        return file.error();
    }
    const auto hash = model_hash(model);
    if (!hash) {
        return hash.error();
    }
    const auto thresholds = read_thresholds(*file, out.spec.n_layer(), *hash);
    if (!thresholds) {
        return thresholds.error();
    }
    use_thresholds(*thresholds, out.tensors);
    return {};
}

// Finds the model's predictors and has its layers use them.
Result<void> bind_model_predictors(const ModeOptions& options, const GgufFile& model,
                                   ModeModel& out) {
    if (!is_sparse(out.spec.activation())) {
        return Error{
            ErrorCode::InvalidArgument,
            "predictors help where most neurons are exactly zero; this model's activation, " +
                std::string(to_string(out.spec.activation())) + ", makes none so",
            {},
            "mode"};
    }
    const auto stated = stated_input(options.predictor_input);
    if (!stated) {
        return stated.error();
    }
    const GgufFile* file = &model;
    if (!options.predictors_path.empty()) {
        auto opened = GgufFile::open(options.predictors_path);
        if (!opened) {
            return std::move(opened).error();
        }
        out.predictor_file = std::make_unique<GgufFile>(std::move(*opened));
        file = out.predictor_file.get();
    }
    const auto hash = model_hash(model);
    if (!hash) {
        return hash.error();
    }
    const auto predictors = bind_predictors(*file, out.spec, *hash, *stated);
    if (!predictors) {
        return predictors.error();
    }
    if (!predictors->any()) {
        return Error{ErrorCode::InvalidArgument,
                     "the model file has no predictors; name a file that has, or make one with "
                     "hearth-cli train-predictor",
                     model.path(), "predictors"};
    }
    use_predictors(*file, *predictors, out.tensors);
    return {};
}

Result<void> set_kv(const std::string& name, ModelSpec& spec) {
    constexpr int kColumns = 16;  // what the kernels of bytes take at once
    if (!name.empty() && name != "f16" && name != "q8_0") {
        return Error{ErrorCode::InvalidArgument,
                     "there is no type \"" + name + "\" of keys and values; f16 and q8_0 are",
                     {},
                     "kv"};
    }
    for (LayerSpec& layer : spec.layers) {
        if (name == "q8_0" && !layer.is_recurrent() && layer.attention.head_dim % kColumns == 0 &&
            layer.attention.values_dim() % kColumns == 0) {
            layer.attention.kv = KvType::Q8_0;
        }
    }
    return {};
}

}  // namespace

Result<ModeModel> open_mode(const ModeOptions& options, const GgufFile& model) {
    const auto mode = mode_from(options.mode);
    const auto activation = stated_activation(options.activation);
    if (!mode || !activation) {
        return mode ? activation.error() : mode.error();
    }
    auto spec = read_model_spec(model, *activation);
    if (!spec) {
        return std::move(spec).error();
    }
    if (auto set = set_kv(options.kv, *spec); !set) {
        return std::move(set).error();
    }
    auto tensors = bind_tensors(model, *spec);
    if (!tensors) {
        return std::move(tensors).error();
    }
    ModeModel out{*mode, std::move(*spec), std::move(*tensors), nullptr};
    Result<void> bound;
    if (*mode == FeedForwardMode::Predicted) {
        bound = bind_model_predictors(options, model, out);
    } else if (*mode == FeedForwardMode::Thresholded) {
        bound = bind_model_thresholds(options, model, out);
    }
    if (!bound) {
        return std::move(bound).error();
    }
    return out;
}

Result<std::string> why_no_gpu(FeedForwardMode mode, const std::string& gpu) {
    if (mode != FeedForwardMode::Thresholded || gpu == "none") {
        return std::string();
    }
    std::string why = "thresholds are applied on the processor only";
    if (names_one(gpu)) {
        return Error{ErrorCode::InvalidArgument,
                     why + "; the mode \"approximate\" cannot use the GPU \"" + gpu + "\"",
                     {},
                     "gpu"};
    }
    return why;
}

}  // namespace hearth
