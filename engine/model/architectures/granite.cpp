// Granite: LLaMA's layers with scales of the embedding, of scores, of what a block adds and of
// logits. Of Granite's hybrids layers without key/value heads are of Mamba-2.
#include "model/architectures/architectures.h"
#include "model/architectures/decoder_only.h"
#include "model/architectures/state_space.h"

namespace hearth {
namespace {

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
    traits.of_layer = make_state_space;
    return read_scaled(keys, traits, keys.positive_or("logit_scale", 1.0F), stated);
}

constexpr std::array kHybridNames{
    kStateSpaceInputs,
    TensorName{.name = "attn_q.weight", .roles = {Role::Q}},
    TensorName{.name = "attn_k.weight", .roles = {Role::K}},
    kStateSpaceOutput,
    TensorName{.name = "attn_output.weight", .roles = {Role::AttnOutput}},
};

}  // namespace

extern constinit const Architecture kGranite{.name = "granite", .read = read_granite};
extern constinit const Architecture kGraniteMoe{
    .name = "granitemoe", .read = read_granite, .experts = true};
extern constinit const Architecture kGraniteHybrid{
    .name = "granitehybrid", .read = read_granite_hybrid, .names = kHybridNames, .experts = true};

}  // namespace hearth
