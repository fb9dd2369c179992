// Granite: LLaMA's layers with scales of the embedding, of scores, of what a block adds and of
// logits. Of Granite's hybrids layers without key/value heads are of Mamba-2.
#include <string>

#include "model/architectures/architectures.h"
#include "model/architectures/decoder_only.h"

namespace hearth {
namespace {

constexpr std::int64_t kMostHeads = 4096;
constexpr std::int64_t kMostWidth = 1 << 20;
constexpr std::int64_t kMostKernel = 16;
// States are kept in panels of so many values (cpu/kernels/kernels.h).
constexpr int kPanel = 32;
constexpr int kMostStateDim = 256;

StateSpaceSpec read_state_space(Keys& keys) {
    StateSpaceSpec state_space;
    state_space.n_heads = keys.integer("ssm.time_step_rank", 1, kMostHeads);
    state_space.n_groups = keys.integer("ssm.group_count", 1, kMostHeads);
    state_space.state_dim = keys.integer("ssm.state_size", 1, kMostWidth);
    state_space.conv_kernel = keys.integer("ssm.conv_kernel", 2, kMostKernel);
    const int width = keys.integer("ssm.inner_size", 1, kMostWidth);
    if (keys.failure()) {
        return {};
    }
    state_space.head_dim = width / state_space.n_heads;
    if (state_space.width() != width) {
        keys.bad("ssm.inner_size", "is " + std::to_string(width) + ", no multiple of " +
                                       std::to_string(state_space.n_heads) + " heads");
    } else if (state_space.head_dim % kPanel != 0) {
        keys.unsupported("ssm.inner_size", "heads of " + std::to_string(state_space.head_dim) +
                                               " are no multiple of " + std::to_string(kPanel));
    } else if (state_space.state_dim % kPanel != 0 || state_space.state_dim > kMostStateDim) {
        keys.unsupported("ssm.state_size", "states of " + std::to_string(state_space.state_dim) +
                                               " are no multiple of " + std::to_string(kPanel) +
                                               " up to " + std::to_string(kMostStateDim));
    } else if (state_space.n_heads % state_space.n_groups != 0) {
        keys.bad("ssm.group_count", std::to_string(state_space.n_heads) + " heads do not share " +
                                        std::to_string(state_space.n_groups) + " groups evenly");
    } else if (static_cast<std::int64_t>(state_space.n_groups) * state_space.state_dim >
               kMostWidth) {
        keys.bad("ssm.group_count", std::to_string(state_space.n_groups) + " groups of " +
                                        std::to_string(state_space.state_dim) + " are too wide");
    }
    return keys.failure() ? StateSpaceSpec{} : state_space;
}

void of_hybrid_layer(Keys& keys, int, LayerSpec& layer) {
    if (layer.attention.n_head_kv == 0) {
        layer.state_space = read_state_space(keys);
        layer.attention.n_head_kv = layer.attention.n_head;  // no head is computed
    }
}

Result<ModelSpec> read_scaled(Keys& keys, const DecoderTraits& traits, float logit_scale,
                              std::optional<Activation> stated) {
    auto spec = read_decoder(keys, traits, stated);
    if (!spec) {
        return spec;
    }
    spec->embedding_scale = keys.positive_or("embedding_scale", 1.0F);
    spec->logit_scale = 1.0F / logit_scale;
    bool rotates = true;
    if (keys.has("rope.scaling.finetuned")) {
        const std::string key = keys.key("rope.scaling.finetuned");
        const auto found = keys.file().metadata().boolean(key);
        if (!found) {
            keys.fail(found.error().code, key, found.error().message);
            return spec;
        }
        rotates = *found;
    }
    for (LayerSpec& layer : spec->layers) {
        layer.residual_scale = keys.positive_or("residual_scale", 1.0F);
        layer.attention.scale = keys.positive_or("attention.scale", layer.attention.scale);
        if (!rotates || layer.is_recurrent()) {
            layer.attention.rope = {.pairing = RopePairing::None};
        }
    }
    return spec;
}

constexpr DecoderTraits kTraits{
    .norm = NormKind::Rms, .activation = Activation::SiluGated, .rope = RopePairing::Neighbours};

Result<ModelSpec> read_granite(Keys& keys, std::optional<Activation> stated) {
    return read_scaled(keys, kTraits, keys.positive("logit_scale"), stated);
}

Result<ModelSpec> read_granite_hybrid(Keys& keys, std::optional<Activation> stated) {
    DecoderTraits traits = kTraits;
    traits.least_head_kv = 0;
    traits.of_layer = of_hybrid_layer;
    return read_scaled(keys, traits, keys.positive_or("logit_scale", 1.0F), stated);
}

// A layer of Mamba-2 is known by its decays.
constexpr std::string_view kRecurrent = "ssm_a";
constexpr std::array kHybridNames{
    TensorName{
        .name = "ssm_in.weight", .roles = {Role::DeltaGate, Role::Q, Role::K}, .where = kRecurrent},
    TensorName{.name = "attn_q.weight", .roles = {Role::Q}},
    TensorName{.name = "attn_k.weight", .roles = {Role::K}},
    TensorName{.name = "ssm_out.weight", .roles = {Role::AttnOutput}, .where = kRecurrent},
    TensorName{.name = "attn_output.weight", .roles = {Role::AttnOutput}},
};

}  // namespace

extern constinit const Architecture kGranite{.name = "granite", .read = read_granite};
extern constinit const Architecture kGraniteHybrid{
    .name = "granitehybrid", .read = read_granite_hybrid, .names = kHybridNames};

}  // namespace hearth
