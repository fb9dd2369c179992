#include "model/predictor_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "gguf/printable.h"
#include "gguf/rows.h"

namespace hearth {
namespace {

constexpr const char* kInputKey = "hearth.predictor.input";
constexpr const char* kKindKey = "hearth.predictor.kind";
constexpr const char* kLinearKey = "hearth.predictor.linear";
constexpr const char* kThresholdKey = "hearth.predictor.threshold";
constexpr const char* kThresholdsKey = "hearth.predictor.thresholds";
constexpr const char* kPowerInferThresholdKey = "powerinfer.sparse_threshold";
constexpr const char* kHashKey = "hearth.model_hash";
constexpr const char* kVersionKey = "hearth.format_version";

Error error_at(const GgufFile& file, ErrorCode code, const std::string& field,
               const std::string& what) {
    return Error{code, field + ": " + what, file.path(), field};
}

Error bad(const GgufFile& file, const std::string& field, const std::string& what) {
    return error_at(file, ErrorCode::BadFile, field, what);
}

// Adds the path to an error of the metadata, which does not know it.
Error at_path(Error error, const GgufFile& file) {
    error.path = file.path();
    return error;
}

// Takes "blk.12.fc1.weight" apart: layer 12, "fc1.weight". Gives nothing for other names, and for
// layers that are written with a sign, a leading zero or too many digits.
struct LayerName {
    std::uint64_t layer = 0;
    std::string_view rest;
};
std::optional<LayerName> parse_name(std::string_view name) {
    constexpr std::string_view kPrefix = "blk.";
    if (!name.starts_with(kPrefix)) {
        return std::nullopt;
    }
    name.remove_prefix(kPrefix.size());
    const std::size_t dot = name.find('.');
    if (dot == std::string_view::npos || dot == 0 || (dot > 1 && name.front() == '0')) {
        return std::nullopt;
    }
    LayerName found;
    const auto [end, failed] = std::from_chars(name.data(), name.data() + dot, found.layer);
    if (failed != std::errc() || end != name.data() + dot) {
        return std::nullopt;
    }
    found.rest = name.substr(dot + 1);
    return found;
}

bool is_predictor_part(std::string_view rest) {
    return rest.starts_with("fc1.") || rest.starts_with("fc2.");
}

Result<bool> is_side_file(const GgufFile& file) {
    if (!file.metadata().contains("general.architecture")) {
        return false;
    }
    const auto arch = file.metadata().string("general.architecture");
    if (!arch) {
        return at_path(arch.error(), file);
    }
    if (*arch == kPredictorsArchitecture) {
        return true;
    }
    if (arch->starts_with("hearth-")) {
        return bad(file, "general.architecture",
                   "the file is a \"" + printable(*arch) + "\", not predictors");
    }
    return false;
}

Result<void> check_version(const GgufFile& file) {
    const auto version = file.metadata().integer(kVersionKey, 1, UINT32_MAX);
    if (!version) {
        return at_path(version.error(), file);
    }
    if (*version > kPredictorsVersion) {
        return error_at(file, ErrorCode::Unsupported, kVersionKey,
                        "the predictors are of version " + std::to_string(*version) +
                            ", this program reads up to " + std::to_string(kPredictorsVersion));
    }
    return {};
}

Result<void> check_hash(const GgufFile& file, const std::string& model_hash) {
    const auto hash = file.metadata().string(kHashKey);
    if (!hash) {
        return at_path(hash.error(), file);
    }
    if (!model_hash.empty() && *hash != model_hash) {
        return bad(file, kHashKey,
                   "the predictors were made for another model (" + printable(*hash) +
                       ", this one is " + printable(model_hash) + ")");
    }
    return {};
}

// Whether PowerInfer's converter wrote the file, which it marks in all three ways. The format
// defines the predictors' input as the residual stream.
bool is_power_infer(const GgufFile& file) {
    return file.container() == Container::Pwri ||
           file.metadata().contains(kPowerInferThresholdKey) ||
           file.tensors().find("blk.0.ffn_down_t.weight") != nullptr;
}

Result<PredictorInput> read_input(const GgufFile& file, std::optional<PredictorInput> stated) {
    const auto said = predictor_input_of(file);
    if (!said) {
        return said.error();
    }
    const std::optional<PredictorInput> found = *said;
    if (!found && !stated) {
        // Nothing is wrong with the file: somebody has to say it.
        return error_at(file, ErrorCode::InvalidArgument, kInputKey,
                        "the file does not say what its predictors' input is, normed or residual");
    }
    if (found && stated && *found != *stated) {
        return error_at(file, ErrorCode::InvalidArgument, kInputKey,
                        "the predictors' input is " + std::string(to_string(*found)) + ", not " +
                            std::string(to_string(*stated)));
    }
    return found ? *found : *stated;
}

Result<bool> read_linear(const GgufFile& file) {
    bool linear = false;
    if (file.metadata().contains(kKindKey)) {
        const auto kind = file.metadata().string(kKindKey);
        if (!kind) {
            return at_path(kind.error(), file);
        }
        if (*kind != "trained" && *kind != "low_rank") {
            return error_at(
                file, ErrorCode::Unsupported, kKindKey,
                "is \"" + printable(*kind) + "\", this program knows trained and low_rank");
        }
        linear = *kind == "low_rank";
    }
    if (file.metadata().contains(kLinearKey)) {
        const auto said = file.metadata().boolean(kLinearKey);
        if (!said) {
            return at_path(said.error(), file);
        }
        linear = *said;
    }
    return linear;
}

Result<std::vector<float>> read_thresholds(const GgufFile& file, std::size_t n_layer) {
    const Metadata& metadata = file.metadata();
    if (metadata.contains(kThresholdsKey)) {
        const auto array = metadata.array(kThresholdsKey, MetadataType::F32);
        if (!array) {
            return at_path(array.error(), file);
        }
        const std::vector<double>& values = (*array)->floating;
        if (values.size() != n_layer) {
            return bad(file, kThresholdsKey,
                       "has " + std::to_string(values.size()) + " numbers, the model has " +
                           std::to_string(n_layer) + " layers");
        }
        std::vector<float> thresholds;
        for (const double value : values) {
            if (!std::isfinite(value)) {
                return bad(file, kThresholdsKey,
                           "number " + std::to_string(thresholds.size()) + " is not finite");
            }
            thresholds.push_back(static_cast<float>(value));
        }
        return thresholds;
    }
    for (const char* key : {kThresholdKey, kPowerInferThresholdKey}) {
        if (!metadata.contains(key)) {
            continue;
        }
        const auto value = metadata.number(key);
        if (!value) {
            return at_path(value.error(), file);
        }
        const auto threshold = static_cast<float>(*value);
        if (!std::isfinite(threshold)) {  // a double beyond what a float can be
            return bad(file, key, "is beyond what a 32-bit number can hold");
        }
        return std::vector<float>(n_layer, threshold);
    }
    return std::vector<float>(n_layer, 0.0F);
}

std::string shape_text(const TensorInfo& tensor) {
    std::string text = "[";
    for (const std::uint64_t size : tensor.shape) {
        text += (text.size() == 1 ? "" : ", ") + std::to_string(size);
    }
    return text + "]";
}

Result<void> check_type(const GgufFile& file, const TensorInfo& tensor) {
    if (!is_computable(tensor.type)) {
        return error_at(file, ErrorCode::Unsupported, tensor.name,
                        "is of type " + std::string(dtype_info(tensor.type).name) +
                            ", which this version cannot compute with");
    }
    return {};
}

Result<void> check_pair(const GgufFile& file, const ModelSpec& spec, int layer,
                        const TensorInfo& fc1, const TensorInfo& fc2) {
    const auto n_embd = static_cast<std::uint64_t>(spec.n_embd);
    const auto n_ff = static_cast<std::uint64_t>(spec.layer(layer).n_ff);
    if (fc1.shape.size() != 2 || fc1.shape[1] != n_embd) {
        return bad(
            file, fc1.name,
            "has shape " + shape_text(fc1) + ", must have [width, " + std::to_string(n_embd) + "]");
    }
    const std::uint64_t width = fc1.shape[0];
    if (width == 0 || width % kPredictorWidthStep != 0 || width > kMostPredictorWidth) {
        return bad(file, fc1.name,
                   "is " + std::to_string(width) + " wide, wanted a multiple of " +
                       std::to_string(kPredictorWidthStep) + " from " +
                       std::to_string(kPredictorWidthStep) + " to " +
                       std::to_string(kMostPredictorWidth));
    }
    if (fc2.shape != std::vector{n_ff, width}) {
        return bad(file, fc2.name,
                   "has shape " + shape_text(fc2) + ", must have [" + std::to_string(n_ff) + ", " +
                       std::to_string(width) + "]");
    }
    if (auto fits = check_type(file, fc1); !fits) {
        return fits;
    }
    return check_type(file, fc2);
}

Result<std::vector<LayerPredictor>> bind_layers(const GgufFile& file, const ModelSpec& spec) {
    std::vector<LayerPredictor> layers(static_cast<std::size_t>(spec.n_layer()));
    for (const TensorInfo& tensor : file.tensors().entries()) {
        const auto name = parse_name(tensor.name);
        if (!name || !is_predictor_part(name->rest)) {
            continue;
        }
        if (name->layer >= layers.size()) {
            return bad(file, tensor.name,
                       "the model has " + std::to_string(layers.size()) + " layers");
        }
        LayerPredictor& layer = layers[static_cast<std::size_t>(name->layer)];
        if (name->rest == "fc1.weight") {
            layer.fc1 = &tensor;
        } else if (name->rest == "fc2.weight") {
            layer.fc2 = &tensor;
        } else {  // a bias: leaving it out would give other scores
            return error_at(file, ErrorCode::Unsupported, printable(tensor.name),
                            "is a part of a predictor this version does not know");
        }
    }
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const LayerPredictor& layer = layers[i];
        if (layer.fc1 == nullptr && layer.fc2 == nullptr) {
            continue;
        }
        if (layer.fc1 == nullptr || layer.fc2 == nullptr) {
            const bool first = layer.fc1 == nullptr;
            const std::string prefix = "blk." + std::to_string(i);
            return bad(file, prefix + (first ? ".fc1.weight" : ".fc2.weight"),
                       std::string("the file has only ") + (first ? "fc2" : "fc1") +
                           " of this layer's predictor");
        }
        if (auto fits = check_pair(file, spec, static_cast<int>(i), *layer.fc1, *layer.fc2);
            !fits) {
            return std::move(fits).error();
        }
    }
    return layers;
}

}  // namespace

std::string_view to_string(PredictorInput input) {
    return input == PredictorInput::Normed ? "normed" : "residual";
}

std::optional<PredictorInput> predictor_input_from_name(std::string_view name) {
    for (const PredictorInput input : {PredictorInput::Normed, PredictorInput::Residual}) {
        if (name == to_string(input)) {
            return input;
        }
    }
    return std::nullopt;
}

bool PredictorTensors::any() const {
    return std::any_of(layers.begin(), layers.end(),
                       [](const LayerPredictor& layer) { return layer.present(); });
}

std::uint64_t PredictorTensors::bytes() const {
    std::uint64_t sum = 0;
    for (const LayerPredictor& layer : layers) {
        sum += layer.bytes();
    }
    return sum;
}

Result<std::optional<PredictorInput>> predictor_input_of(const GgufFile& file) {
    if (!file.metadata().contains(kInputKey)) {
        return is_power_infer(file) ? std::optional(PredictorInput::Residual) : std::nullopt;
    }
    const auto name = file.metadata().string(kInputKey);
    if (!name) {
        return at_path(name.error(), file);
    }
    const auto found = predictor_input_from_name(*name);
    if (!found) {
        return error_at(file, ErrorCode::Unsupported, kInputKey,
                        "is \"" + printable(*name) + "\", this program knows normed and residual");
    }
    return found;
}

Result<PredictorTensors> bind_predictors(const GgufFile& file, const ModelSpec& spec,
                                         const std::string& model_hash,
                                         std::optional<PredictorInput> stated) {
    const auto side_file = is_side_file(file);
    if (!side_file) {
        return side_file.error();
    }
    if (*side_file) {
        if (auto known = check_version(file); !known) {
            return std::move(known).error();
        }
    }
    if (*side_file || file.metadata().contains(kHashKey)) {
        if (auto same = check_hash(file, model_hash); !same) {
            return std::move(same).error();
        }
    }
    auto layers = bind_layers(file, spec);
    if (!layers) {
        return std::move(layers).error();
    }
    PredictorTensors predictors;
    predictors.layers = std::move(*layers);
    if (!predictors.any()) {
        if (*side_file) {
            return bad(file, "blk.0.fc1.weight", "the file holds no predictors");
        }
        return predictors;
    }
    const auto input = read_input(file, stated);
    if (!input) {
        return input.error();
    }
    const auto linear = read_linear(file);
    if (!linear) {
        return linear.error();
    }
    const auto thresholds = read_thresholds(file, predictors.layers.size());
    if (!thresholds) {
        return thresholds.error();
    }
    predictors.input = *input;
    predictors.linear = *linear;
    for (std::size_t i = 0; i < predictors.layers.size(); ++i) {
        predictors.layers[i].threshold = (*thresholds)[i];
    }
    return predictors;
}

}  // namespace hearth
