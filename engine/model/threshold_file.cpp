#include "model/threshold_file.h"

#include <cmath>
#include <limits>
#include <utility>

#include "base/assert.h"
#include "gguf/printable.h"
#include "gguf/writer.h"
#include "model/model_hash.h"

namespace hearth {
namespace {

constexpr const char* kArchitecture = "hearth-thresholds";
constexpr std::uint64_t kVersion = 1;
constexpr const char* kVersionKey = "hearth.format_version";
constexpr const char* kSparsityKey = "hearth.threshold.sparsity";
constexpr const char* kTokensKey = "hearth.threshold.tokens";
constexpr const char* kInputKey = "hearth.threshold.input";
constexpr const char* kHiddenKey = "hearth.threshold.hidden";

Error bad(const char* field, const std::string& what) {
    return Error{ErrorCode::BadFile, std::string(field) + ": " + what, {}, field};
}

Result<std::vector<float>> read_layers(const Metadata& metadata, const char* key, int n_layer) {
    const auto array = metadata.array(key, MetadataType::F32);
    if (!array) {
        return array.error();
    }
    const std::vector<double>& values = (*array)->floating;
    if (values.size() != static_cast<std::size_t>(n_layer)) {
        return bad(key, "has " + std::to_string(values.size()) + " numbers, the model has " +
                            std::to_string(n_layer) + " layers");
    }
    std::vector<float> out;
    for (const double value : values) {
        if (!std::isfinite(value) || value < 0) {
            return bad(key, "layer " + std::to_string(out.size()) + " has the threshold " +
                                std::to_string(value) + ", must be a number from 0 on");
        }
        out.push_back(static_cast<float>(value));
    }
    return out;
}

Result<Thresholds> read(const GgufFile& file, int n_layer) {
    const Metadata& metadata = file.metadata();
    const auto arch = metadata.string("general.architecture");
    if (!arch || *arch != kArchitecture) {
        return bad("general.architecture", "the file holds no thresholds (architecture \"" +
                                               (arch ? printable(*arch) : std::string()) + "\")");
    }
    const auto version =
        metadata.integer(kVersionKey, 1, std::numeric_limits<std::uint32_t>::max());
    if (!version) {
        return version.error();
    }
    if (static_cast<std::uint64_t>(*version) > kVersion) {
        return Error{ErrorCode::Unsupported,
                     std::string(kVersionKey) +
                         ": the thresholds were made by a newer version of Hearth (format " +
                         std::to_string(*version) + ", this one reads up to " +
                         std::to_string(kVersion) + ")",
                     {},
                     kVersionKey};
    }
    Thresholds out;
    const auto sparsity = metadata.number(kSparsityKey);
    if (!sparsity) {
        return sparsity.error();
    }
    if (!(*sparsity >= 0 && *sparsity < 1)) {
        return bad(kSparsityKey, "is " + std::to_string(*sparsity) + ", must be from 0 to below 1");
    }
    out.sparsity = *sparsity;
    const auto tokens = metadata.integer(kTokensKey, 1, std::numeric_limits<std::int64_t>::max());
    if (!tokens) {
        return tokens.error();
    }
    out.tokens = static_cast<std::uint64_t>(*tokens);
    auto input = read_layers(metadata, kInputKey, n_layer);
    auto hidden = read_layers(metadata, kHiddenKey, n_layer);
    if (!input || !hidden) {
        return input ? std::move(hidden).error() : std::move(input).error();
    }
    out.input = *std::move(input);
    out.hidden = *std::move(hidden);
    return out;
}

MetadataValue layers_value(const std::vector<float>& values) {
    MetadataArray array;
    array.element = MetadataType::F32;
    array.floating.assign(values.begin(), values.end());
    return {MetadataType::Array, std::move(array)};
}

}  // namespace

Result<Thresholds> read_thresholds(const GgufFile& file, int n_layer,
                                   const std::string& wanted_hash) {
    auto thresholds = read(file, n_layer);
    if (thresholds) {
        auto hash = file.metadata().string("hearth.model_hash");
        if (hash) {
            if (auto same = check_model_hash(wanted_hash, *hash, "the threshold file", file.path());
                !same) {
                return std::move(same).error();
            }
            thresholds->model_hash = *std::move(hash);
            return thresholds;
        }
        thresholds = std::move(hash).error();
    }
    Error error = std::move(thresholds).error();
    error.path = file.path();
    return error;
}

Result<void> write_thresholds(const std::string& path, const Thresholds& thresholds) {
    Metadata metadata;
    metadata.add("general.architecture", {MetadataType::String, std::string(kArchitecture)});
    metadata.add(kVersionKey, {MetadataType::U32, kVersion});
    metadata.add("hearth.model_hash", {MetadataType::String, thresholds.model_hash});
    metadata.add(kSparsityKey, {MetadataType::F32, thresholds.sparsity});
    metadata.add(kTokensKey, {MetadataType::U64, thresholds.tokens});
    metadata.add(kInputKey, layers_value(thresholds.input));
    metadata.add(kHiddenKey, layers_value(thresholds.hidden));
    auto writer = GgufWriter::create(path, metadata, {});
    if (!writer) {
        return std::move(writer).error();
    }
    return writer->finish();
}

void use_thresholds(const Thresholds& thresholds, ModelTensors& tensors) {
    HEARTH_ASSERT(thresholds.input.size() == tensors.layers.size() &&
                  thresholds.hidden.size() == tensors.layers.size());
    for (std::size_t i = 0; i < tensors.layers.size(); ++i) {
        tensors.layers[i].input_threshold = thresholds.input[i];
        tensors.layers[i].hidden_threshold = thresholds.hidden[i];
    }
}

}  // namespace hearth
