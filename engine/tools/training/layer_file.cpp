#include "tools/training/layer_file.h"

#include <cstdint>
#include <utility>

#include "gguf/reader.h"
#include "gguf/rows.h"
#include "gguf/writer.h"
#include "model/predictor_file.h"

namespace hearth::tools {
namespace {

// Not "hearth-...": bind_predictors() takes it for a file of no particular kind.
constexpr const char* kPartArchitecture = "predictor-part";

std::uint64_t size_of(int count) {
    return static_cast<std::uint64_t>(count);
}

void add(Metadata& metadata, const std::string& key, std::string value) {
    metadata.add(key, {MetadataType::String, std::move(value)});
}
void add(Metadata& metadata, const std::string& key, double value) {
    metadata.add(key, {MetadataType::F64, value});
}
void add(Metadata& metadata, const std::string& key, std::uint64_t value) {
    metadata.add(key, {MetadataType::U64, value});
}
void add(Metadata& metadata, const std::string& key, bool value) {
    metadata.add(key, {MetadataType::Bool, value});
}
void add(Metadata& metadata, const std::string& key, const std::vector<double>& values) {
    MetadataArray array;
    array.element = MetadataType::F32;
    array.floating = values;
    metadata.add(key, {MetadataType::Array, std::move(array)});
}

void add_tensors(std::vector<TensorInfo>& tensors, const ModelSpec& spec,
                 const FittedLayer& layer) {
    const std::string prefix = "blk." + std::to_string(layer.report.layer);
    const std::uint64_t width = size_of(layer.report.width);
    TensorInfo fc1;
    fc1.name = prefix + ".fc1.weight";
    fc1.shape = {width, size_of(spec.n_embd)};
    fc1.type = layer.weights.fc1_type;
    TensorInfo fc2;
    fc2.name = prefix + ".fc2.weight";
    fc2.shape = {size_of(spec.layer(layer.report.layer).n_ff), width};
    fc2.type = layer.weights.fc2_type;
    tensors.push_back(std::move(fc1));
    tensors.push_back(std::move(fc2));
}

Result<std::uint64_t> write_file(const std::string& path, const Metadata& metadata,
                                 const ModelSpec& spec, const std::vector<FittedLayer>& layers) {
    std::vector<TensorInfo> tensors;
    for (const FittedLayer& layer : layers) {
        if (layer.report.written) {
            add_tensors(tensors, spec, layer);
        }
    }
    auto writer = GgufWriter::create(path, metadata, std::move(tensors));
    if (!writer) {
        return std::move(writer).error();
    }
    for (const FittedLayer& layer : layers) {
        if (!layer.report.written) {
            continue;
        }
        for (const auto* bytes : {&layer.weights.fc1, &layer.weights.fc2}) {
            if (auto written = writer->write(*bytes); !written) {
                return std::move(written).error();
            }
        }
    }
    if (auto finished = writer->finish(); !finished) {
        return std::move(finished).error();
    }
    return writer->file_bytes();
}

// The numbers of a report that a part carries, in one place for both ways.
struct Number {
    const char* key;
    double PredictorLayerReport::*value;
};
constexpr Number kNumbers[] = {
    {"part.recall", &PredictorLayerReport::recall},
    {"part.weighted_recall", &PredictorLayerReport::weighted_recall},
    {"part.precision", &PredictorLayerReport::precision},
    {"part.predicted", &PredictorLayerReport::predicted},
    {"part.active", &PredictorLayerReport::active},
    {"part.skew", &PredictorLayerReport::skew},
    {"part.seconds", &PredictorLayerReport::seconds},
};

bool read_weights(const GgufFile& file, const TensorInfo& tensor, std::vector<std::byte>& bytes) {
    bytes.resize(static_cast<std::size_t>(tensor.bytes));
    return file.file().read_at(tensor.offset, bytes).has_value();
}

}  // namespace

Result<void> write_layer(const std::string& path, const std::string& key, const ModelSpec& spec,
                         const FittedLayer& layer) {
    const PredictorLayerReport& report = layer.report;
    Metadata metadata;
    add(metadata, "general.architecture", std::string(kPartArchitecture));
    add(metadata, "part.key", key);
    add(metadata, "part.written", report.written);
    add(metadata, "part.reason", report.reason);
    add(metadata, "part.width", size_of(report.width));
    add(metadata, "part.threshold", static_cast<double>(report.threshold));
    add(metadata, "part.predictor_bytes", report.predictor_bytes);
    add(metadata, "part.gate_bytes", report.gate_bytes);
    for (const Number& number : kNumbers) {
        add(metadata, number.key, report.*number.value);
    }
    if (auto written = write_file(path, metadata, spec, {layer}); !written) {
        return std::move(written).error();
    }
    return {};
}

std::optional<FittedLayer> read_layer(const std::string& path, const std::string& key,
                                      const ModelSpec& spec, int layer) {
    const auto file = GgufFile::open(path);
    if (!file) {
        return std::nullopt;
    }
    const Metadata& metadata = file->metadata();
    const auto arch = metadata.string("general.architecture");
    const auto found_key = metadata.string("part.key");
    const auto written = metadata.boolean("part.written");
    const auto reason = metadata.string("part.reason");
    const auto width = metadata.integer("part.width", 0, kMostPredictorWidth);
    const auto threshold = metadata.number("part.threshold");
    const auto predictor_bytes = metadata.integer("part.predictor_bytes", 0, INT64_MAX);
    const auto gate_bytes = metadata.integer("part.gate_bytes", 0, INT64_MAX);
    if (!arch || *arch != kPartArchitecture || !found_key || *found_key != key || !written ||
        !reason || !width || !threshold || !predictor_bytes || !gate_bytes) {
        return std::nullopt;
    }
    FittedLayer found;
    PredictorLayerReport& report = found.report;
    report.layer = layer;
    report.resumed = true;
    report.written = *written;
    report.reason = *reason;
    report.width = static_cast<int>(*width);
    report.threshold = static_cast<float>(*threshold);
    report.predictor_bytes = static_cast<std::uint64_t>(*predictor_bytes);
    report.gate_bytes = static_cast<std::uint64_t>(*gate_bytes);
    for (const Number& number : kNumbers) {
        const auto value = metadata.number(number.key);
        if (!value) {
            return std::nullopt;
        }
        report.*number.value = *value;
    }
    if (!report.written) {
        return found;
    }
    const auto bound = bind_predictors(*file, spec, {}, PredictorInput::Normed);
    if (!bound) {
        return std::nullopt;
    }
    const LayerPredictor& tensors = bound->layers[static_cast<std::size_t>(layer)];
    if (!tensors.present() || tensors.width() != report.width) {
        return std::nullopt;
    }
    found.weights.fc1_type = tensors.fc1->type;
    found.weights.fc2_type = tensors.fc2->type;
    if (!read_weights(*file, *tensors.fc1, found.weights.fc1) ||
        !read_weights(*file, *tensors.fc2, found.weights.fc2)) {
        return std::nullopt;
    }
    return found;
}

Result<std::uint64_t> write_predictors(const std::string& path, const PredictorFileHeader& header,
                                       const ModelSpec& spec,
                                       const std::vector<FittedLayer>& layers) {
    const auto n_layer = static_cast<std::size_t>(spec.n_layer());
    std::vector<double> thresholds(n_layer);
    std::vector<double> recall(n_layer);
    std::vector<double> precision(n_layer);
    for (const FittedLayer& layer : layers) {
        if (layer.report.written) {
            const auto i = static_cast<std::size_t>(layer.report.layer);
            thresholds[i] = static_cast<double>(layer.report.threshold);
            recall[i] = layer.report.recall;
            precision[i] = layer.report.precision;
        }
    }
    Metadata metadata;
    add(metadata, "general.architecture", std::string(kPredictorsArchitecture));
    add(metadata, "general.name", header.name + " activation predictors");
    metadata.add("hearth.format_version", {MetadataType::U32, std::uint64_t{kPredictorsVersion}});
    add(metadata, "hearth.model_hash", header.model_hash);
    add(metadata, "hearth.predictor.kind", header.kind);
    add(metadata, "hearth.predictor.input", header.input);
    add(metadata, "hearth.predictor.linear", header.kind == "low_rank");
    add(metadata, "hearth.predictor.thresholds", thresholds);
    add(metadata, "hearth.predictor.recall", recall);
    add(metadata, "hearth.predictor.precision", precision);
    return write_file(path, metadata, spec, layers);
}

}  // namespace hearth::tools
