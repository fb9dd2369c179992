// LLaMA and what has its shape: Mistral, Mixtral, SmolLM, and so on. SmolLM 3 rotates in three of
// four layers. Seed-OSS pairs values half a head apart and has biases of q, k and v.
#include <array>

#include "model/architectures/architectures.h"
#include "model/architectures/decoder_only.h"

namespace hearth {
namespace {

Result<ModelSpec> read_llama(Keys& keys, std::optional<Activation> stated) {
    return read_decoder(keys,
                        {.norm = NormKind::Rms,
                         .activation = gated_activation(keys.file(), Activation::SiluGated),
                         .rope = RopePairing::Neighbours},
                        stated);
}

Result<ModelSpec> read_smollm3(Keys& keys, std::optional<Activation> stated) {
    return read_decoder(keys,
                        {.norm = NormKind::Rms,
                         .activation = Activation::SiluGated,
                         .rope = RopePairing::Neighbours,
                         .of_layer =
                             [](Keys&, int index, LayerSpec& layer) {
                                 if (index % 4 == 3) {
                                     layer.attention.rope = {.pairing = RopePairing::None};
                                 }
                             }},
                        stated);
}

Result<ModelSpec> read_seed_oss(Keys& keys, std::optional<Activation> stated) {
    return read_decoder(
        keys,
        {.norm = NormKind::Rms, .activation = Activation::SiluGated, .rope = RopePairing::Halves},
        stated);
}

constexpr std::array kSeedNames{TensorName{"post_attention_norm.weight", {Role::FfnNorm}}};

}  // namespace

extern constinit const Architecture kLlama{.name = "llama", .read = read_llama, .experts = true};
extern constinit const Architecture kSmolLm3{.name = "smollm3", .read = read_smollm3};
extern constinit const Architecture kSeedOss{
    .name = "seed_oss", .read = read_seed_oss, .names = kSeedNames};

}  // namespace hearth
