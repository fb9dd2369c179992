// Qwen2 and Qwen3: LLaMA's layers with pairs half a head apart. Qwen2 has biases of
// q, k and v, Qwen3 a norm of each head of q and k instead.
#include "model/architectures/architectures.h"
#include "model/architectures/decoder_only.h"

namespace hearth {
namespace {

Result<ModelSpec> read_qwen(Keys& keys, std::optional<Activation> stated) {
    return read_decoder(keys,
                        {.norm = NormKind::Rms,
                         .activation = gated_activation(keys.file(), Activation::SiluGated),
                         .rope = RopePairing::Halves},
                        stated);
}

}  // namespace

Result<ModelSpec> read_qwen2(Keys& keys, std::optional<Activation> stated) {
    auto spec = read_qwen(keys, stated);
    if (spec) {
        for (LayerSpec& layer : spec->layers) {
            layer.qkv_bias = true;
        }
    }
    return spec;
}

Result<ModelSpec> read_qwen3(Keys& keys, std::optional<Activation> stated) {
    auto spec = read_qwen(keys, stated);
    if (spec) {
        for (LayerSpec& layer : spec->layers) {
            layer.attention.head_norm = true;
        }
    }
    return spec;
}

}  // namespace hearth
