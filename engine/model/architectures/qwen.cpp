// Qwen2 and Qwen3: LLaMA's layers with pairs half a head apart. Qwen2 has biases of
// q, k and v, Qwen3 a norm of each head of q and k instead. Their vision models rotate sections of
// a head by places in a picture; the three places of a text's token are its position. Their
// mixtures are the same with experts; Qwen2's has a shared one that each token gates.
#include "model/architectures/architectures.h"
#include "model/architectures/decoder_only.h"

namespace hearth {
namespace {

Result<ModelSpec> read_qwen(Keys& keys, std::optional<Activation> stated,
                            DecoderTraits::OfLayer of_layer, ExpertTraits experts = {}) {
    return read_decoder(keys,
                        {.norm = NormKind::Rms,
                         .activation = gated_activation(keys.file(), Activation::SiluGated),
                         .rope = RopePairing::Halves,
                         .experts = experts,
                         .of_layer = of_layer},
                        stated);
}

Result<ModelSpec> read_qwen2(Keys& keys, std::optional<Activation> stated) {
    return read_qwen(keys, stated, [](Keys&, int, LayerSpec& layer) { layer.qkv_bias = true; });
}

Result<ModelSpec> read_qwen2_moe(Keys& keys, std::optional<Activation> stated) {
    return read_qwen(keys, stated, [](Keys&, int, LayerSpec& layer) { layer.qkv_bias = true; },
                     {.normed = false, .shared = SharedExpert::Wide, .shared_gate = true});
}

Result<ModelSpec> read_qwen3(Keys& keys, std::optional<Activation> stated) {
    return read_qwen(keys, stated, [](Keys&, int, LayerSpec& layer) {
        layer.attention.head_norm = HeadNorm::Each;
    });
}

}  // namespace

extern constinit const Architecture kQwen2{.name = "qwen2", .read = read_qwen2};
extern constinit const Architecture kQwen3{.name = "qwen3", .read = read_qwen3};
extern constinit const Architecture kQwen2Vl{.name = "qwen2vl", .read = read_qwen2};
extern constinit const Architecture kQwen3Vl{.name = "qwen3vl", .read = read_qwen3};
extern constinit const Architecture kQwen2Moe{
    .name = "qwen2moe", .read = read_qwen2_moe, .experts = true};
extern constinit const Architecture kQwen3Moe{
    .name = "qwen3moe", .read = read_qwen3, .experts = true};
extern constinit const Architecture kQwen3VlMoe{
    .name = "qwen3vlmoe", .read = read_qwen3, .experts = true};

}  // namespace hearth
