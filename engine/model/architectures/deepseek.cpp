// DeepSeek V2 and V3, GLM 4.7 Flash and others made like them: latent attention, and mixtures
// behind some dense layers.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "model/architectures/architectures.h"
#include "model/architectures/decoder_only.h"

namespace hearth {
namespace {

constexpr int kMostHeadDim = 1024;
constexpr int kMostWidth = 1 << 20;
constexpr float kMostMultiplier = 10;  // published models have 0.1 or less
constexpr std::string_view kRank = "attention.kv_lora_rank";
constexpr std::string_view kKeys = "attention.key_length";
constexpr std::string_view kValues = "attention.value_length";
// Files whose attn_kv_b is split state heads as attention absorbs them by the keys above, and by
// these what they are without that.
constexpr std::string_view kOwnKeys = "attention.key_length_mla";
constexpr std::string_view kOwnValues = "attention.value_length_mla";
constexpr std::string_view kKeyHeads = "attention.head_count_kv";
constexpr std::string_view kRotated = "rope.dimension_count";
constexpr std::string_view kScaling = "rope.scaling.type";
constexpr std::string_view kLogMultiplier = "rope.scaling.yarn_log_multiplier";

void check_step(Keys& keys, std::string_view name, int size) {
    if (size % kLatentStep != 0) {
        keys.unsupported(
            name, std::to_string(size) + " is no multiple of " + std::to_string(kLatentStep));
    }
}

LatentSpec read_latent(Keys& keys) {
    LatentSpec latent;
    latent.rank = keys.integer(kRank, 1, kMostHeadDim);
    latent.q_rank = keys.integer_or("attention.q_lora_rank", 0, kMostWidth, 0);
    const int rotated = keys.integer(kRotated, 2, kMostHeadDim);
    const int absorbed_keys = keys.integer(kKeys, 2, kMostHeadDim);
    const int absorbed_values = keys.integer(kValues, 2, kMostHeadDim);
    const int own_keys = keys.integer_or(kOwnKeys, 2, kMostHeadDim, absorbed_keys);
    latent.value_dim = keys.integer_or(kOwnValues, 2, kMostHeadDim, absorbed_values);
    if (keys.failure()) {
        return {};
    }
    const bool absorbed = keys.has(kOwnKeys) || keys.has(kOwnValues);
    const std::string_view of_keys = keys.has(kOwnKeys) ? kOwnKeys : kKeys;
    latent.plain_dim = own_keys - rotated;
    if (latent.rank + rotated > kMostHeadDim) {
        keys.unsupported(kRank, std::to_string(latent.rank) + " and " + std::to_string(rotated) +
                                    " rotated values are more than " +
                                    std::to_string(kMostHeadDim));
    } else if (absorbed && absorbed_keys != latent.rank + rotated) {
        keys.bad(kKeys, "is " + std::to_string(absorbed_keys) + ", must be " +
                            std::to_string(latent.rank) + " + " + std::to_string(rotated));
    } else if (absorbed && absorbed_values != latent.rank) {
        keys.bad(kValues, "is " + std::to_string(absorbed_values) + ", must be " +
                              std::to_string(latent.rank));
    } else if (latent.plain_dim <= 0) {
        keys.bad(of_keys, "is " + std::to_string(own_keys) + ", and " + std::to_string(rotated) +
                              " of these are rotated");
    }
    check_step(keys, kRank, latent.rank);
    check_step(keys, of_keys, latent.plain_dim);
    check_step(keys, keys.has(kOwnValues) ? kOwnValues : kValues, latent.value_dim);
    return keys.failure() ? LatentSpec{} : latent;
}

int key_dim(Keys& keys) {
    return read_latent(keys).rank + keys.integer(kRotated, 2, kMostHeadDim);
}

// Under YaRN scores grow by the square of a factor that the file states, and what is rotated does
// not grow.
float yarn_growth(Keys& keys, RopeSpec& rope) {
    if (rope.yarn_context == 0) {
        if (rope.linear_factor != 1.0F) {
            keys.unsupported(kScaling, "this architecture is scaled by \"yarn\" only");
        }
        return 1.0F;
    }
    const float multiplier = keys.positive(kLogMultiplier);
    if (multiplier > kMostMultiplier) {
        keys.bad(kLogMultiplier, "is " + std::to_string(multiplier) + ", must be up to " +
                                     std::to_string(kMostMultiplier));
    }
    rope.magnitude = 1.0F;
    return 1.0F + multiplier * std::log(std::max(rope.linear_factor, 1.0F));
}

// Files whose lengths are those of absorbed attention state the one key head that it has, and
// others one for each head, which the latents become. Something else is another kind of attention.
void check_key_heads(Keys& keys, const AttentionSpec& attention) {
    const bool absorbed = keys.has(kOwnKeys) || keys.has(kOwnValues);
    const int wanted = absorbed ? 1 : attention.n_head;
    if (keys.has(kKeyHeads) && attention.n_head_kv != wanted) {
        keys.bad(
            kKeyHeads,
            "is " + std::to_string(attention.n_head_kv) + ", must be " + std::to_string(wanted) +
                (absorbed ? ", since the heads share one latent" : ", as many as there are heads"));
    }
}

void make_latent(Keys& keys, int block, LayerSpec& layer) {
    layer.latent = read_latent(keys);
    check_key_heads(keys, layer.attention);
    for (const std::string_view key : {"attention.temperature_scale", "rope.scaling.attn_factor"}) {
        if (keys.has(key)) {
            keys.unsupported(key, "this architecture is not known to have it");
        }
    }
    AttentionSpec& attention = layer.attention;
    attention.n_head_kv = 1;
    attention.value_dim = layer.latent.rank;
    const float growth = yarn_growth(keys, attention.rope);
    attention.scale = growth * growth /
                      std::sqrt(static_cast<float>(layer.latent.plain_dim + attention.rope.dim));
    layer.qkv_bias = false;
    // A router whose choice is biased is one of sigmoids, which some files do not say.
    if (layer.is_mixture() && keys.integer_or("expert_gating_func", 0, 1 << 20, 0) == 0 &&
        keys.tensor(Role::RouterBias, block).tensor != nullptr) {
        layer.experts.scores = RouterScores::Sigmoid;
    }
}

Result<ModelSpec> read_deepseek2(Keys& keys, std::optional<Activation> stated) {
    return read_decoder(
        keys,
        {.norm = NormKind::Rms,
         .activation = Activation::SiluGated,
         .rope = RopePairing::Neighbours,
         .head_dim = key_dim,
         .experts = {.scores = RouterScores::Softmax, .normed = false, .may_be_biased = true},
         .of_layer = make_latent},
        stated);
}

constexpr std::array kNames{
    TensorName{"attn_q_b.weight", {Role::Q}},
    TensorName{"attn_q.weight", {Role::Q}},
    TensorName{"attn_kv_a_mqa.weight", {Role::K}},
    TensorName{"attn_kv_b.weight", {Role::KeyUp, Role::ValueUp}},
    TensorName{"attn_k_b.weight", {Role::KeyUp}},
    TensorName{"attn_v_b.weight", {Role::ValueUp}},
};

}  // namespace

extern constinit const Architecture kDeepSeek2{
    .name = "deepseek2", .read = read_deepseek2, .names = kNames, .experts = true};

}  // namespace hearth
