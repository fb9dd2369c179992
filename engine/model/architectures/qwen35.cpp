// Qwen3-Next, Qwen3.5 and the generations named after it: of every few layers one is attention with
// a gate, the others are gated delta nets. Positions in a picture rotate sections of a head; the
// places of a text's token are its position. Mixtures have a shared expert, which each token gates.
// In Qwen3-Next, always a mixture, value heads that share a key head are neighbours. Its files have
// betas and alphas in one tensor, the first ones also channels and gates.
#include <string>

#include "model/architectures/architectures.h"
#include "model/architectures/decoder_only.h"

namespace hearth {
namespace {

constexpr std::int64_t kMostLayers = 4096;
constexpr std::int64_t kMostHeads = 4096;
constexpr std::int64_t kMostWidth = 1 << 20;
constexpr std::int64_t kMostKernel = 16;
// States are kept in panels of so many values (cpu/kernels/kernels.h).
constexpr int kPanel = 32;
constexpr int kMostStateDim = 256;

DeltaNetSpec read_delta_net(Keys& keys) {
    DeltaNetSpec net;
    net.n_key_heads = keys.integer("ssm.group_count", 1, kMostHeads);
    net.n_value_heads = keys.integer("ssm.time_step_rank", 1, kMostHeads);
    net.key_dim = net.value_dim = keys.integer("ssm.state_size", 1, kMostWidth);
    net.conv_kernel = keys.integer("ssm.conv_kernel", 1, kMostKernel);
    const int width = keys.integer("ssm.inner_size", 1, kMostWidth);
    if (keys.failure()) {
        return {};
    }
    if (net.key_dim % kPanel != 0 || net.key_dim > kMostStateDim) {
        keys.unsupported("ssm.state_size", "heads of " + std::to_string(net.key_dim) +
                                               " are no multiple of " + std::to_string(kPanel) +
                                               " up to " + std::to_string(kMostStateDim));
        return {};
    }
    if (net.value_width() != width) {
        keys.bad("ssm.inner_size", "is " + std::to_string(width) + ", " +
                                       std::to_string(net.n_value_heads) + " heads of " +
                                       std::to_string(net.value_dim) + " are " +
                                       std::to_string(net.value_width()) + " wide");
    }
    if (net.n_value_heads % net.n_key_heads != 0) {
        keys.bad("ssm.group_count", std::to_string(net.n_value_heads) +
                                        " value heads do not share " +
                                        std::to_string(net.n_key_heads) + " key heads evenly");
    }
    return net;
}

bool is_attention(Keys& keys, int index) {
    constexpr std::string_view kRecurrent = "attention.recurrent_layers";
    if (keys.has(kRecurrent)) {
        const int n_layer = keys.integer("block_count", 1, kMostLayers);
        return keys.per_layer(kRecurrent, 0, 1, n_layer)[static_cast<std::size_t>(index)] == 0;
    }
    const int interval = keys.integer_or("full_attention_interval", 1, kMostLayers, 4);
    return keys.failure() || (index + 1) % interval == 0;
}

void of_layer(Keys& keys, int index, LayerSpec& layer) {
    if (is_attention(keys, index)) {
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

// A recurrent layer is known by its decays.
constexpr std::string_view kRecurrent = "ssm_a";
constexpr std::array kNames{
    TensorName{.name = "attn_qkv.weight", .roles = {Role::Q}, .where = kRecurrent},
    TensorName{.name = "attn_q.weight", .roles = {Role::Q}},
    TensorName{.name = "ssm_beta.weight", .roles = {Role::K}, .where = kRecurrent},
    TensorName{.name = "attn_k.weight", .roles = {Role::K}},
    TensorName{.name = "ssm_alpha.weight", .roles = {Role::V}, .where = kRecurrent},
    TensorName{.name = "attn_v.weight", .roles = {Role::V}},
    TensorName{.name = "ssm_out.weight", .roles = {Role::AttnOutput}, .where = kRecurrent},
    TensorName{.name = "attn_output.weight", .roles = {Role::AttnOutput}},
    TensorName{.name = "post_attention_norm.weight", .roles = {Role::FfnNorm}},
};
constexpr std::array kNextNames{
    TensorName{.name = "ssm_in.weight", .roles = {Role::Q, Role::DeltaGate}, .by_key_head = true},
    TensorName{.name = "attn_qkv.weight", .roles = {Role::Q}, .where = kRecurrent},
    TensorName{.name = "attn_q.weight", .roles = {Role::Q}},
    TensorName{.name = "attn_gate.weight", .roles = {Role::DeltaGate}},
    TensorName{.name = "ssm_ba.weight",
               .roles = {Role::K, Role::V},
               .where = kRecurrent,
               .by_key_head = true},
    TensorName{.name = "attn_k.weight", .roles = {Role::K}},
    TensorName{.name = "attn_v.weight", .roles = {Role::V}},
    TensorName{.name = "ssm_out.weight", .roles = {Role::AttnOutput}, .where = kRecurrent},
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
