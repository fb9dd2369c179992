#include "plan/known_profile.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/model_hash.h"
#include "model/packed_layout.h"
#include "plan/cost_model.h"
#include "plan/profile_file.h"
#include "plan/self_profile.h"

namespace hearth {
namespace {

Result<NeuronOrder> order_of(const GgufFile& packed, const ModelSpec& spec) {
    const auto layout = read_packed_layout(packed, spec);
    if (!layout) {
        return layout.error();
    }
    return read_neuron_order(packed, *layout);
}

// A profile from another file than the model's, in the order of the model's neurons.
Result<ActivationProfile> read_side_file(const GgufFile& file, const GgufFile& model,
                                         const ModelSpec& spec) {
    const auto hash = model_hash(model);
    if (!hash) {
        return hash.error();
    }
    auto profile = read_profile(file, spec, *hash);
    if (!profile) {
        return profile;
    }
    if (is_packed(file)) {  // its columns lie as its own records do
        const auto order = order_of(file, spec);
        if (!order) {
            return order.error();
        }
        from_order(*profile, *order);
    }
    if (is_packed(model)) {
        const auto order = order_of(model, spec);
        if (!order) {
            return order.error();
        }
        to_order(*profile, *order);
    }
    return profile;
}

// The header of a model that is not downloaded has a hole for what did not come of the rest
// (docs/decisions/0048), so counts are zeros: of all layers, or of those in one part of a model in
// several files. No layer of a model that runs is silent.
bool has_silent_layer(const ActivationProfile& profile) {
    return std::any_of(profile.layers.begin(), profile.layers.end(), [](const LayerProfile& layer) {
        const std::vector<std::uint32_t>& fired = layer.fired.front();
        return std::all_of(fired.begin(), fired.end(), [](std::uint32_t n) { return n == 0; });
    });
}

Result<KnownProfile> known(ProfileSource source, Result<ActivationProfile> profile) {
    if (!profile) {
        return std::move(profile).error();
    }
    return KnownProfile{source, std::move(*profile)};
}

}  // namespace

Result<KnownProfile> find_profile(const GgufFile& model, const ModelSpec& spec,
                                  const std::string& path, const std::string& cache_folder) {
    if (!path.empty()) {
        const auto file = GgufFile::open(path);
        if (!file) {
            return file.error();
        }
        return known(ProfileSource::Given, read_side_file(*file, model, spec));
    }
    if (holds_profile(model)) {
        auto inside = known(ProfileSource::InModel, read_profile(model, spec));
        return inside && has_silent_layer(*inside->profile) ? KnownProfile{} : std::move(inside);
    }
    if (cache_folder.empty() || (!is_sparse(spec.activation()) && !spec.has_experts())) {
        return KnownProfile{};
    }
    if (const auto hash = model_hash(model)) {
        if (const auto file =
                GgufFile::open(self_profile_path(cache_folder, *hash, spec.has_routed_neurons()))) {
            auto found = known(ProfileSource::OfItself, read_side_file(*file, model, spec));
            return found ? std::move(found) : KnownProfile{};
        }
    }
    return KnownProfile{};
}

std::string profile_text(const KnownProfile& known) {
    if (known.source == ProfileSource::None) {
        return "there is no activation profile of this model: every neuron is assumed to fire for "
               "every token";
    }
    const std::uint64_t tokens = known.profile->tokens;
    const std::string count = std::to_string(tokens) + (tokens == 1 ? " token" : " tokens");
    std::string text;
    switch (known.source) {
        case ProfileSource::None:
            break;
        case ProfileSource::Given:
            text = "the activation profile that was named, from " + count;
            break;
        case ProfileSource::InModel:
            text = "the activation profile in the model's file, from " + count;
            break;
        case ProfileSource::OfItself:
            text = "the activation profile that the model made of itself, from " + count;
            break;
    }
    return tokens < kProfileTokensMin
               ? text + ", is not used: at least " + std::to_string(kProfileTokensMin) +
                     " are needed, so every neuron is assumed to fire for every token"
               : text + ", says how often each neuron fires";
}

}  // namespace hearth
