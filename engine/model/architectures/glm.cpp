// GLM 4: norms before and after each block, rotation of neighbouring pairs of half a head, and gate
// and up in one matrix.
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

constexpr std::array kNames{TensorName{"ffn_up.weight", {Role::Gate, Role::Up}}};

}  // namespace

extern constinit const Architecture kGlm4{.name = "glm4", .read = read_glm4, .names = kNames};

}  // namespace hearth
