// The keys of a mixture's experts.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "model/architectures/decoder_only.h"

namespace hearth {
namespace {

constexpr std::int64_t kMostExperts = 4096;
constexpr std::int64_t kMostLayers = 4096;
constexpr std::int64_t kMostWidth = 1 << 20;
// Neurons of all experts of a layer. Twice as many as any published model has fit 32 bits easily.
constexpr std::int64_t kMostNeurons = 1 << 28;
constexpr std::string_view kWidth = "expert_feed_forward_length";
constexpr std::string_view kWhole = "feed_forward_length";  // of a block that is no mixture
constexpr std::string_view kUsed = "expert_used_count";
constexpr std::string_view kGroups = "expert_group_count";

RouterScores read_scores(Keys& keys, RouterScores usual) {
    constexpr std::string_view kKey = "expert_gating_func";
    switch (keys.integer_or(kKey, 0, 1 << 20, 0)) {
        case 0:  // as the architecture has it
            return usual;
        case 1:
            return RouterScores::Softmax;
        case 2:
            return RouterScores::Sigmoid;
        case 3:
            return RouterScores::SoftmaxOfChosen;
        default:
            keys.unsupported(kKey, "is no function of a router that this version knows");
            return usual;
    }
}

bool read_normed(Keys& keys, bool usual) {
    const std::string key = keys.key("expert_weights_norm");
    if (!keys.file().metadata().contains(key)) {
        return usual;
    }
    const auto normed = keys.file().metadata().boolean(key);
    if (!normed) {
        keys.fail(normed.error().code, key, normed.error().message);
        return usual;
    }
    return *normed;
}

// Files may say it of each layer.
int read_width(Keys& keys) {
    const std::string_view key = keys.has(kWidth) ? kWidth : kWhole;
    const int n_layer = keys.integer("block_count", 1, kMostLayers);
    if (keys.failure()) {
        return 0;
    }
    const std::vector<int> widths = keys.per_layer(key, 0, kMostWidth, n_layer);
    const int width = *std::max_element(widths.begin(), widths.end());
    if (width == 0 && !keys.failure()) {
        keys.bad(key, "is 0, and the model has experts");
    }
    // A layer without experts has 0.
    if (std::any_of(widths.begin(), widths.end(),
                    [&](int other) { return other != 0 && other != width; })) {
        keys.unsupported(key, "experts of one layer are wider than those of another");
    }
    return width;
}

// 0 is what files say that state none.
float read_scale(Keys& keys) {
    constexpr std::string_view kKey = "expert_weights_scale";
    const auto scale = keys.file().metadata().number(keys.key(kKey));
    return scale && *scale != 0 ? keys.positive(kKey) : 1.0F;
}

void read_groups(Keys& keys, ExpertsSpec& spec) {
    constexpr std::string_view kUsedGroups = "expert_group_used_count";
    spec.n_groups = std::max(1, keys.integer_or(kGroups, 0, kMostExperts, 1));
    if (spec.n_groups == 1) {
        return;
    }
    if (spec.n_groups > kMostExpertGroups) {
        keys.unsupported(kGroups, std::to_string(spec.n_groups) + " groups are more than " +
                                      std::to_string(kMostExpertGroups));
        return;
    }
    spec.n_used_groups = keys.integer(kUsedGroups, 1, spec.n_groups);
    if (spec.n % spec.n_groups != 0) {
        keys.bad(kGroups, std::to_string(spec.n) + " experts do not make " +
                              std::to_string(spec.n_groups) + " groups of equal size");
    } else if (spec.n_used > spec.n / spec.n_groups * spec.n_used_groups) {
        keys.bad(kUsed, "a token uses " + std::to_string(spec.n_used) + " experts, and " +
                            std::to_string(spec.n_used_groups) + " groups have " +
                            std::to_string(spec.n / spec.n_groups * spec.n_used_groups));
    }
}

void read_shared(Keys& keys, const ExpertTraits& traits, ExpertsSpec& spec) {
    constexpr std::string_view kWidthOfShared = "expert_shared_feed_forward_length";
    spec.norms_apart = traits.shared == SharedExpert::Beside;
    if (spec.norms_apart) {  // its width is a layer's
        return;
    }
    const int count = keys.integer_or("expert_shared_count", 0, kMostExperts, 0);
    spec.n_ff_shared = keys.integer_or(kWidthOfShared, 0, kMostWidth, 0);
    if (spec.n_ff_shared == 0 && count > 0) {
        const std::int64_t width = static_cast<std::int64_t>(count) * spec.n_ff;
        if (width > kMostWidth) {
            keys.bad("expert_shared_count", std::to_string(count) + " experts are too wide");
            return;
        }
        spec.n_ff_shared = static_cast<int>(width);
    }
    if (spec.n_ff_shared == 0 && traits.shared == SharedExpert::Wide) {
        spec.n_ff_shared = keys.integer(kWhole, 1, kMostWidth);
    }
    if (spec.n_ff_shared % kExpertBlock != 0) {
        keys.unsupported(kWidthOfShared, std::to_string(spec.n_ff_shared) +
                                             " neurons are no multiple of " +
                                             std::to_string(kExpertBlock));
    }
    spec.shared_gate = traits.shared_gate && spec.n_ff_shared > 0;
}

}  // namespace

ExpertsSpec read_experts(Keys& keys, const ExpertTraits& traits) {
    ExpertsSpec spec;
    spec.n = keys.integer_or("expert_count", 0, kMostExperts, 0);
    if (spec.n == 0 || keys.failure()) {
        return {};
    }
    spec.n_used = keys.integer(kUsed, 1, spec.n);
    spec.n_ff = read_width(keys);
    spec.scores = read_scores(keys, traits.scores);
    spec.may_be_biased = traits.may_be_biased;
    spec.biases = traits.biases;
    spec.scaled = traits.scaled;
    spec.normed = read_normed(keys, traits.normed);
    spec.scale = read_scale(keys);
    read_groups(keys, spec);
    read_shared(keys, traits, spec);
    if (keys.failure()) {
        return {};
    }
    if (spec.n_ff % kExpertBlock != 0) {
        keys.unsupported(kWidth, "experts of " + std::to_string(spec.n_ff) +
                                     " neurons are no multiple of " + std::to_string(kExpertBlock));
    } else if (static_cast<std::int64_t>(spec.n) * spec.n_ff > kMostNeurons ||
               (spec.biases && static_cast<std::int64_t>(spec.n) *
                                       keys.integer("embedding_length", 1, kMostWidth) >
                                   kMostNeurons)) {
        keys.bad(kWidth, std::to_string(spec.n) + " experts of " + std::to_string(spec.n_ff) +
                             " neurons are too many");
    }
    return spec;
}

}  // namespace hearth
