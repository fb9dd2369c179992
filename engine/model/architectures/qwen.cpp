// Qwen2 and Qwen3: LLaMA's layers with pairs half a head apart. Qwen2 has biases of
// q, k and v, Qwen3 a norm of each head of q and k instead.
#include "model/architectures/architectures.h"
#include "model/architectures/decoder_only.h"

namespace hearth {
namespace {

Result<ModelSpec> read_qwen(Keys& keys, std::optional<Activation> stated,
                            DecoderTraits::OfLayer of_layer) {
    return read_decoder(keys,
                        {.norm = NormKind::Rms,
                         .activation = gated_activation(keys.file(), Activation::SiluGated),
                         .rope = RopePairing::Halves,
                         .of_layer = of_layer},
                        stated);
}

Result<ModelSpec> read_qwen2(Keys& keys, std::optional<Activation> stated) {
    return read_qwen(keys, stated, [](Keys&, int, LayerSpec& layer) { layer.qkv_bias = true; });
}

Result<ModelSpec> read_qwen3(Keys& keys, std::optional<Activation> stated) {
    return read_qwen(keys, stated,
                     [](Keys&, int, LayerSpec& layer) { layer.attention.head_norm = true; });
}

}  // namespace

extern constinit const Architecture kQwen2{.name = "qwen2", .read = read_qwen2};
extern constinit const Architecture kQwen3{.name = "qwen3", .read = read_qwen3};

}  // namespace hearth
