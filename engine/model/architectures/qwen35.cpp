// Qwen3-Next, Qwen3.5 and the generations named after it: of every few layers one is attention with
// a gate, the others are gated delta nets. Positions in a picture rotate sections of a head; the
// places of a text's token are its position. Mixtures have a shared expert, which each token gates.
// In Qwen3-Next, always a mixture, value heads that share a key head are neighbours. Its files have
// betas and alphas in one tensor, the first ones also channels and gates.
#include "model/architectures/architectures.h"
#include "model/architectures/decoder_only.h"
#include "model/architectures/delta_nets.h"

namespace hearth {
namespace {

void of_layer(Keys& keys, int index, LayerSpec& layer) {
    if (!is_delta_net(keys, index)) {
        layer.attention.head_norm = HeadNorm::Each;
        layer.attention.gated = true;
        return;
    }
    layer.delta_net = read_delta_net(keys);
    layer.attention.rope = {.pairing = RopePairing::None};
}

void of_next_layer(Keys& keys, int index, LayerSpec& layer) {
    of_layer(keys, index, layer);
    layer.delta_net.neighbours_share = layer.is_delta_net();
}

Result<ModelSpec> read(Keys& keys, std::optional<Activation> stated,
                       DecoderTraits::OfLayer of_each) {
    return read_decoder(keys,
                        {.norm = NormKind::Rms,
                         .activation = Activation::SiluGated,
                         .rope = RopePairing::Halves,
                         .experts = {.shared = SharedExpert::Wide, .shared_gate = true},
                         .of_layer = of_each},
                        stated);
}

Result<ModelSpec> read_qwen35(Keys& keys, std::optional<Activation> stated) {
    return read(keys, stated, of_layer);
}

Result<ModelSpec> read_qwen3_next(Keys& keys, std::optional<Activation> stated) {
    return read(keys, stated, of_next_layer);
}

constexpr std::array kNames{
    TensorName{.name = "attn_qkv.weight", .roles = {Role::Q}, .where = kDeltaNetTensor},
    TensorName{.name = "attn_q.weight", .roles = {Role::Q}},
    TensorName{.name = "ssm_beta.weight", .roles = {Role::K}, .where = kDeltaNetTensor},
    TensorName{.name = "attn_k.weight", .roles = {Role::K}},
    TensorName{.name = "ssm_alpha.weight", .roles = {Role::V}, .where = kDeltaNetTensor},
    TensorName{.name = "attn_v.weight", .roles = {Role::V}},
    TensorName{.name = "ssm_out.weight", .roles = {Role::AttnOutput}, .where = kDeltaNetTensor},
    TensorName{.name = "attn_output.weight", .roles = {Role::AttnOutput}},
    TensorName{.name = "post_attention_norm.weight", .roles = {Role::FfnNorm}},
};
constexpr std::array kNextNames{
    TensorName{.name = "ssm_in.weight", .roles = {Role::Q, Role::DeltaGate}, .by_key_head = true},
    TensorName{.name = "attn_qkv.weight", .roles = {Role::Q}, .where = kDeltaNetTensor},
    TensorName{.name = "attn_q.weight", .roles = {Role::Q}},
    TensorName{.name = "attn_gate.weight", .roles = {Role::DeltaGate}},
    TensorName{.name = "ssm_ba.weight",
               .roles = {Role::K, Role::V},
               .where = kDeltaNetTensor,
               .by_key_head = true},
    TensorName{.name = "attn_k.weight", .roles = {Role::K}},
    TensorName{.name = "attn_v.weight", .roles = {Role::V}},
    TensorName{.name = "ssm_out.weight", .roles = {Role::AttnOutput}, .where = kDeltaNetTensor},
    TensorName{.name = "attn_output.weight", .roles = {Role::AttnOutput}},
    TensorName{.name = "post_attention_norm.weight", .roles = {Role::FfnNorm}},
};

}  // namespace

extern constinit const Architecture kQwen35{.name = "qwen35", .read = read_qwen35, .names = kNames};
extern constinit const Architecture kQwen35Moe{
    .name = "qwen35moe", .read = read_qwen35, .names = kNames, .experts = true};
extern constinit const Architecture kQwen3Next{
    .name = "qwen3next", .read = read_qwen3_next, .names = kNextNames, .experts = true};

}  // namespace hearth
