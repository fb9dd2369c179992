// Mistral's shape with ReLU on both gate and up (PowerInfer's Bamboo, the starter model).
#include "model/architectures/architectures.h"
#include "model/architectures/decoder_only.h"

namespace hearth {
namespace {

Result<ModelSpec> read_bamboo(Keys& keys, std::optional<Activation> stated) {
    return read_decoder(
        keys,
        {.norm = NormKind::Rms, .activation = Activation::DRelu, .rope = RopePairing::Neighbours},
        stated);
}

}  // namespace

extern constinit const Architecture kBamboo{.name = "bamboo", .read = read_bamboo};

}  // namespace hearth
