// StableLM: LLaMA's layers with Layer norms and a part of each head rotated, pairs half of it
// apart.
#include "model/architectures/architectures.h"
#include "model/architectures/decoder_only.h"

namespace hearth {
namespace {

Result<ModelSpec> read_stablelm(Keys& keys, std::optional<Activation> stated) {
    return read_decoder(
        keys,
        {.norm = NormKind::Layer, .activation = Activation::SiluGated, .rope = RopePairing::Halves},
        stated);
}

}  // namespace

extern constinit const Architecture kStableLm{.name = "stablelm", .read = read_stablelm};

}  // namespace hearth
