#include "tools/pack_plan.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <numeric>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/hash128.h"
#include "gguf/encoding.h"
#include "gguf/parts.h"
#include "gguf/printable.h"
#include "gguf/recipes.h"
#include "model/model_hash.h"
#include "model/packed_layout.h"
#include "model/stored_rows.h"
#include "model/tensor_names.h"
#include "plan/known_profile.h"

namespace hearth::tools {
namespace {

Error invalid(std::string message, std::string path, std::string field) {
    return Error{.code = ErrorCode::InvalidArgument,
                 .message = std::move(message),
                 .path = std::move(path),
                 .field = std::move(field)};
}

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t step) {
    return (value + step - 1) / step * step;
}

hearth::MetadataValue u32(std::uint64_t value) {
    return {MetadataType::U32, value};
}

// The layer and the rest of "blk.N.rest"; empty for other names.
struct LayerName {
    std::size_t layer = 0;
    std::string_view rest;
};
std::optional<LayerName> layer_name(std::string_view name) {
    constexpr std::string_view kStart = "blk.";
    if (!name.starts_with(kStart)) {
        return std::nullopt;
    }
    LayerName out;
    const char* end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + kStart.size(), end, out.layer);
    if (error != std::errc() || stop == end || *stop != '.') {
        return std::nullopt;
    }
    out.rest = std::string_view(stop + 1, static_cast<std::size_t>(end - stop - 1));
    return out;
}

// Keys that the packed file says itself.
bool is_replaced(std::string_view key) {
    return key == "general.alignment" || key == "hearth.model_hash" || key == "hearth.activation" ||
           key == "hearth.format_version" || key.starts_with("hearth.packed.") ||
           key.starts_with("hearth.profile.") || key.starts_with("hearth.predictor.");
}

// Of a predictor file, what is said below in one form whatever form it had.
bool is_restated(std::string_view key) {
    return key == "hearth.predictor.input" || key == "hearth.predictor.linear" ||
           key == "hearth.predictor.threshold" || key == "hearth.predictor.thresholds";
}

// A file that cannot be asked has no bytes, and differs from what was read.
PackSourceFile source_file(const std::string& path) {
    const std::filesystem::path native(std::u8string(path.begin(), path.end()));
    PackSourceFile file{.path = path};
    std::error_code unknown;
    const std::uintmax_t bytes = std::filesystem::file_size(native, unknown);
    file.bytes = unknown ? 0 : bytes;
    const auto changed = std::filesystem::last_write_time(native, unknown);
    file.changed = unknown ? 0 : static_cast<std::int64_t>(changed.time_since_epoch().count());
    return file;
}

class Planner {
public:
    Planner(const GgufFile& model, const GgufFile* predictors, const PackOptions& options)
        : model_(model), predictor_file_(predictors), options_(options) {}

    Result<PackPlan> plan() {
        for (const auto step : {&Planner::read_model, &Planner::read_order,
                                &Planner::read_predictors, &Planner::lay_out}) {
            if (auto done = (this->*step)(); !done) {
                return std::move(done).error();
            }
        }
        add_sources(model_.path());
        add_sources(predictor_file_->path());
        plan_.label = label();
        return std::move(plan_);
    }

private:
    Result<void> read_model() {
        if (is_packed(model_)) {
            return invalid("the model is packed already", model_.path(), "hearth.packed.version");
        }
        std::optional<Activation> activation;
        if (!options_.activation.empty()) {
            activation = activation_from_name(options_.activation);
            if (!activation) {
                std::string message = "\"";
                message.append(printable(options_.activation))
                    .append("\" is no activation this version knows");
                return invalid(std::move(message), {}, "activation");
            }
        }
        auto spec = read_model_spec(model_, activation);
        if (!spec) {
            return std::move(spec).error();
        }
        plan_.spec = *std::move(spec);
        if (!is_sparse(plan_.spec.activation()) && !options_.force) {
            return Error{.code = ErrorCode::Unsupported,
                         .message = "the model's neurons never fall silent (its function is " +
                                    std::string(to_string(plan_.spec.activation())) +
                                    "), so nothing is gained by storing each by itself",
                         .path = model_.path(),
                         .field = "general.architecture"};
        }
        std::optional<DType> down_type;
        if (!options_.down_type.empty()) {
            down_type = dtype_from_name(options_.down_type);
            if (!down_type || !is_written(*down_type)) {
                std::string message = "weights cannot be written as \"";
                message.append(printable(options_.down_type))
                    .append("\"; " + written_types() + " are possible");
                return invalid(std::move(message), {}, "down_type");
            }
        }
        auto layers = find_pack_source(model_, plan_.spec, down_type);
        if (!layers) {
            return std::move(layers).error();
        }
        plan_.layers = *std::move(layers);
        counts_experts_ = plan_.spec.has_experts();
        if (auto parted = part_experts(plan_.spec, "packing"); !parted) {
            return parted;
        }
        if (options_.format < 1 || options_.format > kPackedVersion) {
            return invalid("no packed format has the number " + std::to_string(options_.format) +
                               "; 1 to " + std::to_string(kPackedVersion) + " are possible",
                           {}, "format");
        }
        plan_.in_neuron_rows = options_.format >= kPackedNeuronRowVersion;
        for (const PackSourceLayer& layer : plan_.layers) {
            for (const DType type : {(layer.gate.present() ? layer.gate : layer.up).type,
                                     layer.up.type, layer.down_type}) {
                if (!encoding_of(type).has(Layout::NeuronRow)) {
                    return Error{.code = ErrorCode::Unsupported,
                                 .message = "rows of " + std::string(dtype_info(type).name) +
                                            " cannot be computed neuron by neuron",
                                 .path = model_.path(),
                                 .field = "type"};
                }
            }
        }
        auto hash = model_hash(model_);
        if (!hash) {
            return std::move(hash).error();
        }
        plan_.model_hash = *std::move(hash);
        return {};
    }

    Result<void> read_order() {
        const bool named = !options_.profile_path.empty();
        if (counts_experts_) {
            if (named) {
                return invalid(
                    "profiles of this model count experts, so that no order of neurons "
                    "can be taken from one",
                    model_.path(), "profile");
            }
            keep_order();
            return {};
        }
        auto known = find_profile(model_, plan_.spec, options_.profile_path, options_.cache_folder);
        if (!known && named) {
            return std::move(known).error();
        }
        plan_.by_itself = known && known->source == ProfileSource::OfItself &&
                          known->profile->tokens >= kProfileTokensMin;
        // A profile that was named is what the user wants, however short it is.
        if (!named && !plan_.by_itself) {
            keep_order();
            return {};
        }
        std::optional<ActivationProfile>& profile = known->profile;
        plan_.order = order_by_hotness(*profile);
        to_order(*profile, plan_.order);
        plan_.profile = *std::move(profile);
        return {};
    }

    void keep_order() {
        for (std::size_t i = 0; i < plan_.layers.size(); ++i) {
            plan_.order.emplace_back(n_ff(i));
            std::iota(plan_.order[i].begin(), plan_.order[i].end(), 0);
        }
    }

    Result<void> read_predictors() {
        std::optional<PredictorInput> stated;
        if (!options_.predictor_input.empty()) {
            stated = predictor_input_from_name(options_.predictor_input);
            if (!stated) {
                std::string message = "the predictors' input is normed or residual, not \"";
                message.append(printable(options_.predictor_input)).append("\"");
                return invalid(std::move(message), {}, "predictor_input");
            }
        }
        if (predictor_file_ != nullptr && is_packed(*predictor_file_)) {
            return invalid("the predictors inside a packed file fit its own order only",
                           predictor_file_->path(), "hearth.packed.version");
        }
        if (predictor_file_ == nullptr) {
            predictor_file_ = &model_;
        }
        auto predictors = bind_predictors(*predictor_file_, plan_.spec, plan_.model_hash, stated);
        if (!predictors) {
            return std::move(predictors).error();
        }
        predictors_ = *std::move(predictors);
        return {};
    }

    void add(PackItem item, TensorInfo tensor) {
        plan_.items.push_back(item);
        tensors_.push_back(std::move(tensor));
    }

    std::uint64_t n_ff(std::size_t layer) const {
        return static_cast<std::uint64_t>(plan_.spec.layers[layer].n_ff);
    }

    // Before the records, whose block begins with them.
    void add_gates(std::size_t layer) {
        const Weight& gate = plan_.layers[layer].gate;
        if (!gate.present() || !options_.gate_matrices || !plan_.in_neuron_rows ||
            !is_sparse(plan_.spec.activation())) {
            return;
        }
        TensorInfo tensor;
        tensor.name = "blk." + std::to_string(layer) + ".ffn_gate.weight";
        tensor.shape = {gate.rows, gate.cols};
        tensor.type = gate.type;
        plan_.gate_matrix_bytes += gate.bytes();
        add({PackItem::Kind::Reordered, &model_, gate, layer}, std::move(tensor));
    }

    void add_neurons(std::size_t layer) {
        const std::uint64_t places = rounded_up(n_ff(layer), kPackedClusterNeurons);
        TensorInfo tensor;
        tensor.name = "blk." + std::to_string(layer) + ".ffn_neurons.weight";
        tensor.shape = {places, neuron_bytes_};
        tensor.type = DType::I8;
        add({PackItem::Kind::Neurons, &model_, {}, layer}, std::move(tensor));
    }

    // The model's tensors as they stand; each block's matrices become one tensor where the first of
    // them stood, so that reading the file from the start still meets the layers in their order.
    void add_model_tensors() {
        const TensorFinder finder(model_);
        std::vector<bool> packed(plan_.layers.size());
        for (const TensorInfo& tensor : model_.tensors().entries()) {
            const auto name = layer_name(tensor.name);
            if (!name || name->layer >= plan_.layers.size()) {
                add({PackItem::Kind::Copy, &model_, whole(tensor), 0}, tensor);
                continue;
            }
            const PackSourceLayer& layer = plan_.layers[name->layer];
            const auto is_of = [&](const Weight& weight) { return weight.tensor == &tensor; };
            const int index = static_cast<int>(name->layer);
            if (is_of(layer.gate) || is_of(layer.up) || is_of(layer.down)) {
                if (!packed[name->layer]) {
                    add_gates(name->layer);
                    add_neurons(name->layer);
                    packed[name->layer] = true;
                }
            } else if (&tensor == finder.find(Role::UpBias, index).tensor) {
                add({PackItem::Kind::Reordered, &model_, whole(tensor), name->layer}, tensor);
            } else if (name->rest != "fc1.weight" && name->rest != "fc2.weight") {
                add({PackItem::Kind::Copy, &model_, whole(tensor), name->layer}, tensor);
            }
        }
    }

    void add_side_tensors() {
        for (std::size_t i = 0; i < plan_.layers.size(); ++i) {
            TensorInfo tensor;
            tensor.name = "blk." + std::to_string(i) + ".ffn_permutation";
            tensor.shape = {n_ff(i)};
            tensor.type = DType::I32;
            add({PackItem::Kind::Permutation, nullptr, {}, i}, std::move(tensor));
        }
        if (plan_.profile) {
            std::vector<TensorInfo> fired = profile_tensors(*plan_.profile);
            for (std::size_t i = 0; i < fired.size(); ++i) {
                add({PackItem::Kind::Fired, nullptr, {}, i}, std::move(fired[i]));
            }
        }
        for (std::size_t i = 0; i < predictors_.layers.size(); ++i) {
            const LayerPredictor& layer = predictors_.layers[i];
            if (layer.present()) {
                plan_.predictor_layers.push_back(static_cast<int>(i));
                add({PackItem::Kind::Copy, predictor_file_, whole(*layer.fc1), i}, *layer.fc1);
                add({PackItem::Kind::Reordered, predictor_file_, whole(*layer.fc2), i}, *layer.fc2);
            }
        }
    }

    std::uint64_t record_bytes(const PackSourceLayer& layer) const {
        const auto bytes = [&](DType type) {
            return stored_row_bytes(type, static_cast<std::uint64_t>(plan_.spec.n_embd),
                                    plan_.in_neuron_rows);
        };
        return (layer.gate.present() ? bytes(layer.gate.type) : 0) + bytes(layer.up.type) +
               bytes(layer.down_type);
    }

    Metadata metadata() const {
        Metadata out;
        for (const auto& [key, value] : model_.metadata().entries()) {
            if (!is_replaced(key)) {
                out.add(key, value);
            }
        }
        out.add("general.alignment", u32(kPackedAlignment));
        out.add("hearth.packed.version", u32(options_.format));
        out.add("hearth.model_hash", {MetadataType::String, plan_.model_hash});
        // Said outright: what it was taken from (PowerInfer's magic, the name of a tensor, the
        // user's word) is not in this file.
        out.add("hearth.activation",
                {MetadataType::String, std::string(to_string(plan_.spec.activation()))});
        out.add("hearth.packed.neuron_bytes", u32(neuron_bytes_));
        out.add("hearth.packed.cluster_neurons", u32(kPackedClusterNeurons));
        MetadataArray gate;
        gate.element = MetadataType::String;
        MetadataArray up = gate;
        MetadataArray down = gate;
        for (const PackSourceLayer& layer : plan_.layers) {
            gate.strings.emplace_back(layer.gate.present() ? dtype_info(layer.gate.type).name
                                                           : std::string_view());
            up.strings.emplace_back(dtype_info(layer.up.type).name);
            down.strings.emplace_back(dtype_info(layer.down_type).name);
        }
        out.add("hearth.packed.gate_type", {MetadataType::Array, std::move(gate)});
        out.add("hearth.packed.up_type", {MetadataType::Array, std::move(up)});
        out.add("hearth.packed.down_type", {MetadataType::Array, std::move(down)});
        if (plan_.profile) {
            add_profile_keys(out, *plan_.profile);
        }
        if (predictors_.any()) {
            add_predictor_keys(out);
        }
        return out;
    }

    void add_predictor_keys(Metadata& out) const {
        MetadataArray thresholds;
        thresholds.element = MetadataType::F32;
        for (const LayerPredictor& layer : predictors_.layers) {
            thresholds.floating.push_back(static_cast<double>(layer.threshold));
        }
        out.add("hearth.predictor.input",
                {MetadataType::String, std::string(to_string(predictors_.input))});
        out.add("hearth.predictor.linear", {MetadataType::Bool, predictors_.linear});
        out.add("hearth.predictor.thresholds", {MetadataType::Array, std::move(thresholds)});
        for (const auto& [key, value] : predictor_file_->metadata().entries()) {
            if (key.starts_with("hearth.predictor.") && !is_restated(key)) {
                out.add(key, value);
            }
        }
    }

    Result<void> lay_out() {
        for (const PackSourceLayer& layer : plan_.layers) {
            neuron_bytes_ = std::max(neuron_bytes_, record_bytes(layer));
        }
        neuron_bytes_ = padded_neuron_bytes(neuron_bytes_, options_.format);
        add_model_tensors();
        add_side_tensors();
        auto layout = lay_out_gguf(metadata(), tensors_);
        if (!layout) {
            Error error = std::move(layout).error();
            error.path = options_.output_path;
            return error;
        }
        plan_.layout = *std::move(layout);
        return {};
    }

    // Of a model in several files, all of them.
    void add_sources(const std::string& path) {
        const auto part = part_name(path);
        if (!part) {
            plan_.sources.push_back(source_file(path));
            return;
        }
        for (std::uint32_t i = 1; i <= std::min(part->count, kMostParts); ++i) {
            plan_.sources.push_back(source_file(part->path_of(i)));
        }
    }

    std::string label() const {
        Hash128 hash;
        hash.add(std::span<const std::byte>(plan_.layout.header));
        hash.add(plan_.model_hash);
        for (const PackSourceFile& file : plan_.sources) {
            hash.add(file.bytes);
            hash.add(static_cast<std::uint64_t>(file.changed));
        }
        for (const auto& order : plan_.order) {
            hash.add(std::as_bytes(std::span(order)));
        }
        if (plan_.profile) {
            for (const LayerProfile& layer : plan_.profile->layers) {
                hash.add(std::span<const std::byte>(profile_tensor_bytes(layer)));
            }
        }
        return "pack " + hash.hex();
    }

    const GgufFile& model_;
    const GgufFile* predictor_file_;
    const PackOptions& options_;
    PackPlan plan_;
    PredictorTensors predictors_;
    bool counts_experts_ = false;  // a profile of the model
    std::uint64_t neuron_bytes_ = 0;
    std::vector<TensorInfo> tensors_;
};

}  // namespace

Result<void> check_sources(const PackPlan& plan) {
    for (const PackSourceFile& file : plan.sources) {
        if (source_file(file.path) != file) {
            return Error{.code = ErrorCode::ReadFailed,
                         .message = file.path + ": changed while it was packed",
                         .path = file.path,
                         .field = "source"};
        }
    }
    return {};
}

NeuronOrder order_by_hotness(const ActivationProfile& profile) {
    NeuronOrder order;
    for (const LayerProfile& layer : profile.layers) {
        const std::vector<std::uint32_t>& fired = layer.fired[0];
        std::vector<std::int32_t> places(fired.size());
        std::iota(places.begin(), places.end(), 0);
        std::stable_sort(places.begin(), places.end(), [&](std::int32_t a, std::int32_t b) {
            return fired[static_cast<std::size_t>(a)] > fired[static_cast<std::size_t>(b)];
        });
        order.push_back(std::move(places));
    }
    return order;
}

Result<PackPlan> plan_pack(const GgufFile& model, const GgufFile* predictors,
                           const PackOptions& options) {
    return Planner(model, predictors, options).plan();
}

}  // namespace hearth::tools
