// LFM2: layers without key/value heads are gated short convolutions, the others are attention with
// normed heads.
#include "model/architectures/architectures.h"
#include "model/architectures/decoder_only.h"

namespace hearth {
namespace {

constexpr std::int64_t kMostWidth = 1 << 20;
constexpr std::int64_t kMostKernel = 16;
constexpr std::int64_t kMostWindow = 1 << 27;

void of_layer(Keys& keys, int, LayerSpec& layer) {
    AttentionSpec& attention = layer.attention;
    if (attention.n_head_kv > 0) {
        attention.head_norm = HeadNorm::Each;
        attention.window = keys.integer_or("attention.sliding_window", 0, kMostWindow, 0);
        return;
    }
    layer.gated_conv = {
        .width = keys.integer("embedding_length", 1, kMostWidth),
        .kernel = keys.integer("shortconv.l_cache", 2, kMostKernel),
    };
    attention.n_head_kv = attention.n_head;  // no head is computed
    attention.rope = {.pairing = RopePairing::None};
}

// Encoders of the family see all tokens at once.
void refuse_encoder(Keys& keys) {
    const std::string key = keys.key("attention.causal");
    if (!keys.file().metadata().contains(key)) {
        return;
    }
    const auto causal = keys.file().metadata().boolean(key);
    if (!causal) {
        keys.fail(causal.error().code, key, causal.error().message);
    } else if (!*causal) {
        keys.unsupported("attention.causal",
                         "is false: a model that sees later tokens answers nothing");
    }
}

Result<ModelSpec> read_lfm2(Keys& keys, std::optional<Activation> stated) {
    refuse_encoder(keys);
    return read_decoder(keys,
                        {.norm = NormKind::Rms,
                         .activation = Activation::SiluGated,
                         .rope = RopePairing::Halves,
                         .least_head_kv = 0,
                         .experts = {.scores = RouterScores::Sigmoid, .may_be_biased = true},
                         .of_layer = of_layer},
                        stated);
}

constexpr std::string_view kConvolution = "shortconv.conv.weight";
constexpr std::array kNames{
    TensorName{.name = "token_embd_norm.weight", .roles = {Role::OutputNorm}},
    TensorName{.name = "shortconv.in_proj.weight", .roles = {Role::Q}, .where = kConvolution},
    TensorName{.name = "attn_q.weight", .roles = {Role::Q}},
    TensorName{.name = kConvolution, .roles = {Role::ConvTaps}},
    TensorName{
        .name = "shortconv.out_proj.weight", .roles = {Role::AttnOutput}, .where = kConvolution},
    TensorName{.name = "attn_output.weight", .roles = {Role::AttnOutput}},
};

}  // namespace

extern constinit const Architecture kLfm2{.name = "lfm2", .read = read_lfm2, .names = kNames};
extern constinit const Architecture kLfm2Moe{
    .name = "lfm2moe", .read = read_lfm2, .names = kNames, .experts = true};

}  // namespace hearth
