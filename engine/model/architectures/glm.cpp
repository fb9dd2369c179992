// GLM 4: norms before and after each block, rotation of neighbouring pairs of half a head, and gate
// and up in one matrix. GLM 4.5's mixtures: norms before each block, pairs half of what is rotated
// apart, and, in the larger ones, normed heads.
#include <array>

#include "model/architectures/architectures.h"
#include "model/architectures/decoder_only.h"

namespace hearth {
namespace {

Result<ModelSpec> read_glm4(Keys& keys, std::optional<Activation> stated) {
    return read_decoder(keys,
                        {.norm = NormKind::Rms,
                         .activation = Activation::SiluGated,
                         .rope = RopePairing::Neighbours,
                         .norms = Norms::Around},
                        stated);
}

void of_mixture(Keys& keys, int block, LayerSpec& layer) {
    layer.qkv_bias = keys.tensor(Role::QBias, block).tensor != nullptr;
    if (keys.tensor(Role::QNorm, block).tensor != nullptr) {
        layer.attention.head_norm = HeadNorm::Each;
    }
}

Result<ModelSpec> read_glm4_moe(Keys& keys, std::optional<Activation> stated) {
    return read_decoder(
        keys,
        {.norm = NormKind::Rms,
         .activation = Activation::SiluGated,
         .rope = RopePairing::Halves,
         .experts = {.scores = RouterScores::Sigmoid, .normed = false, .may_be_biased = true},
         .of_layer = of_mixture},
        stated);
}

constexpr std::array kMixtureNames{TensorName{"post_attention_norm.weight", {Role::FfnNorm}}};
constexpr std::array kNames{TensorName{"ffn_up.weight", {Role::Gate, Role::Up}}};

}  // namespace

extern constinit const Architecture kGlm4Moe{
    .name = "glm4moe", .read = read_glm4_moe, .names = kMixtureNames, .experts = true};
extern constinit const Architecture kGlm4{.name = "glm4", .read = read_glm4, .names = kNames};

}  // namespace hearth
