// Nemotron 3 and 4: Layer norms, a part of each head rotated, and squared ReLU without a gate, so
// that most neurons are exactly zero. Files hold the norms' weights with the one that is added to
// them. Nemotron-H: each block of a file is Mamba-2, attention without positions, or a feed-forward
// block of that kind, behind an RMS norm of its own. Every feed-forward block of Nemotron 3 Nano is
// a mixture, whose experts have no gate, and neither has the shared one.
#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "model/architectures/architectures.h"
#include "model/architectures/decoder_only.h"
#include "model/architectures/state_space.h"

namespace hearth {
namespace {

Result<ModelSpec> read_nemotron(Keys& keys, std::optional<Activation> stated) {
    return read_decoder(keys,
                        {.norm = NormKind::Layer,
                         .activation = Activation::ReluSquared,
                         .rope = RopePairing::Halves},
                        stated);
}

void of_layer(Keys& keys, int block, LayerSpec& layer) {
    layer.qkv_bias = keys.tensor(Role::QBias, block).tensor != nullptr;
    make_state_space(keys, block, layer);
}

constexpr DecoderTraits kHybrid{
    .norm = NormKind::Rms,
    .activation = Activation::ReluSquared,
    .rope = RopePairing::None,
    .least_head_kv = 0,
    .lone_blocks = true,
    .experts = {.scores = RouterScores::Sigmoid, .normed = false, .may_be_biased = true},
    .of_layer = of_layer};

Result<ModelSpec> read_nemotron_h(Keys& keys, std::optional<Activation> stated) {
    return read_decoder(keys, kHybrid, stated);
}

// Experts of larger models read and write fewer values than a token has.
Result<ModelSpec> read_nemotron_h_moe(Keys& keys, std::optional<Activation> stated) {
    constexpr std::string_view kLatent = "moe_latent_size";
    constexpr std::int64_t kMostWidth = 1 << 20;
    const int width = keys.integer_or(kLatent, 0, kMostWidth, 0);
    if (width % kExpertBlock != 0) {
        keys.unsupported(kLatent, std::to_string(width) + " values are no multiple of " +
                                      std::to_string(kExpertBlock));
    }
    auto spec = read_nemotron_h(keys, stated);
    for (LayerSpec& layer : spec ? std::span(spec->layers) : std::span<LayerSpec>()) {
        layer.experts.n_latent = layer.is_mixture() ? width : 0;
    }
    return spec;
}

constexpr std::array kNames{
    kStateSpaceInputs,
    TensorName{.name = "attn_q.weight", .roles = {Role::Q}},
    TensorName{.name = "attn_k.weight", .roles = {Role::K}},
    kStateSpaceOutput,
    TensorName{.name = "attn_output.weight", .roles = {Role::AttnOutput}},
    TensorName{.name = "attn_norm.weight", .roles = {Role::FfnNorm}},
};

}  // namespace

extern constinit const Architecture kNemotron{.name = "nemotron", .read = read_nemotron};
extern constinit const Architecture kNemotronH{
    .name = "nemotron_h", .read = read_nemotron_h, .names = kNames};
extern constinit const Architecture kNemotronHMoe{
    .name = "nemotron_h_moe", .read = read_nemotron_h_moe, .names = kNames, .experts = true};

}  // namespace hearth
