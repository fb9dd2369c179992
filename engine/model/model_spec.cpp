#include "model/model_spec.h"

#include <algorithm>
#include <array>
#include <utility>

#include "gguf/printable.h"
#include "model/architectures/architectures.h"
#include "model/architectures/not_for_chat.h"
#include "model/past_shape.h"

namespace hearth {
namespace {

struct ActivationRow {
    Activation activation;
    std::string_view name;
};
constexpr std::array kActivations{
    ActivationRow{Activation::SiluGated, "silu"},
    ActivationRow{Activation::ReluGated, "reglu"},
    ActivationRow{Activation::DRelu, "drelu"},
    ActivationRow{Activation::Relu, "relu"},
    ActivationRow{Activation::ReluSquared, "relu2"},
    ActivationRow{Activation::Gelu, "gelu"},
    ActivationRow{Activation::GeluGated, "geglu"},
    ActivationRow{Activation::SiluClamped, "swiglu-oai"},
};

}  // namespace

std::string_view to_string(Activation activation) {
    for (const ActivationRow& row : kActivations) {
        if (row.activation == activation) {
            return row.name;
        }
    }
    return "unknown";
}

std::optional<Activation> activation_from_name(std::string_view name) {
    for (const ActivationRow& row : kActivations) {
        if (row.name == name) {
            return row.activation;
        }
    }
    return std::nullopt;
}

bool is_gated(Activation activation) {
    switch (activation) {
        case Activation::SiluGated:
        case Activation::ReluGated:
        case Activation::DRelu:
        case Activation::GeluGated:
        case Activation::SiluClamped:
            return true;
        case Activation::Relu:
        case Activation::ReluSquared:
        case Activation::Gelu:
            return false;
    }
    return false;
}

bool is_sparse(Activation activation) {
    switch (activation) {
        case Activation::ReluGated:
        case Activation::DRelu:
        case Activation::Relu:
        case Activation::ReluSquared:
            return true;
        case Activation::SiluClamped:
        case Activation::SiluGated:
        case Activation::Gelu:
        case Activation::GeluGated:
            return false;
    }
    return false;
}

std::vector<int> ModelSpec::neurons() const {
    std::vector<int> counts;
    for (const LayerSpec& layer : layers) {
        counts.push_back(layer.n_ff);
    }
    return counts;
}

std::vector<int> ModelSpec::counted() const {
    std::vector<int> counts;
    for (const LayerSpec& layer : layers) {
        counts.push_back(layer.n_counted());
    }
    return counts;
}

std::vector<RopeSpec> ModelSpec::ropes() const {
    std::vector<RopeSpec> found;
    for (const LayerSpec& layer : layers) {
        const RopeSpec& rope = layer.attention.rope;
        if (rope.dim > 0 && std::find(found.begin(), found.end(), rope) == found.end()) {
            found.push_back(rope);
        }
    }
    return found;
}

Result<void> part_experts(ModelSpec& spec, std::string_view what) {
    for (LayerSpec& layer : spec.layers) {
        ExpertsSpec& experts = layer.experts;
        if (!experts.present()) {
            continue;
        }
        if (experts.biases || experts.has_own_input() || experts.n_ff_shared > 0 ||
            experts.routed_early || experts.weighs_inputs) {
            return Error{ErrorCode::Unsupported,
                         std::string(what) +
                             " would need single neurons of experts which have biases, a shared "
                             "expert or inputs of their own",
                         {},
                         "expert_count"};
        }
        experts.by_neuron = true;
    }
    return {};
}

Result<void> need_feed_forward_blocks(const ModelSpec& spec, std::string_view what) {
    if (spec.has_experts()) {
        return Error{
            ErrorCode::Unsupported,
            std::string(what) + " needs single neurons, and this model is a mixture of experts",
            {},
            "expert_count"};
    }
    const auto lacks = std::find_if_not(spec.layers.begin(), spec.layers.end(),
                                        std::mem_fn(&LayerSpec::has_feed_forward));
    if (lacks == spec.layers.end()) {
        return {};
    }
    return Error{ErrorCode::Unsupported,
                 std::string(what) + " needs neurons in every layer, and block " +
                     std::to_string(lacks->attention_block) + " of this model has none",
                 {},
                 "feed_forward_length"};
}

namespace {

bool says_packed(const GgufFile& file) {
    return file.metadata().contains("hearth.packed.version");
}

// All pasts of a model that move up do so together, by what the largest window needs.
void keep_windows(ModelSpec& spec) {
    int window = 0;
    for (const LayerSpec& layer : spec.layers) {
        window = std::max(window, layer.attention.window);
    }
    for (LayerSpec& layer : spec.layers) {
        layer.attention.kept = layer.attention.window > 0 ? kept_of_window(window) : 0;
    }
}

}  // namespace

Result<ModelSpec> read_model_spec(const GgufFile& file, std::optional<Activation> stated) {
    auto arch = file.metadata().string("general.architecture");
    if (!arch) {
        return std::move(arch).error();
    }
    if (auto refused = why_not_for_chat(file, *arch)) {
        return *std::move(refused);
    }
    const Architecture* row = find_architecture(*arch);
    if (row == nullptr) {
        return Error{ErrorCode::Unsupported,
                     "the architecture \"" + printable(*arch) +
                         "\" is not one this version can run (it runs " + architecture_names() +
                         ")",
                     file.path(), "general.architecture"};
    }
    if (auto refused = row->experts ? std::nullopt : why_no_experts(file, *arch)) {
        return *std::move(refused);
    }
    Keys keys(file, *arch);
    auto spec = row->read(keys, stated);
    if (spec && keys.failure()) {
        return *keys.failure();
    }
    if (spec && says_packed(file)) {
        if (auto fits = part_experts(*spec, "this packed file"); !fits) {
            Error error = std::move(fits).error();
            error.path = file.path();
            return error;
        }
    }
    if (spec) {
        keep_windows(*spec);
    }
    return spec;
}

}  // namespace hearth
