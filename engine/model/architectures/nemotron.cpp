// Nemotron 3 and 4: Layer norms, a part of each head rotated, and squared ReLU without a gate, so
// that most neurons are exactly zero. Files hold the norms' weights with the one that is added to
// them. Nemotron-H: each block of a file is Mamba-2, attention without positions, or a feed-forward
// block of that kind, behind an RMS norm of its own.
#include <array>

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

Result<ModelSpec> read_nemotron_h(Keys& keys, std::optional<Activation> stated) {
    return read_decoder(keys,
                        {.norm = NormKind::Rms,
                         .activation = Activation::ReluSquared,
                         .rope = RopePairing::None,
                         .least_head_kv = 0,
                         .lone_blocks = true,
                         .of_layer = of_layer},
                        stated);
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

}  // namespace hearth
