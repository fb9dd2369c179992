// Nemotron 3 and 4: Layer norms, a part of each head rotated, and squared ReLU without a gate, so
// that most neurons are exactly zero. Files hold the norms' weights with the one that is added to
// them.
#include "model/architectures/architectures.h"
#include "model/architectures/decoder_only.h"

namespace hearth {
namespace {

Result<ModelSpec> read_nemotron(Keys& keys, std::optional<Activation> stated) {
    return read_decoder(keys,
                        {.norm = NormKind::Layer,
                         .activation = Activation::ReluSquared,
                         .rope = RopePairing::Halves},
                        stated);
}

}  // namespace

extern constinit const Architecture kNemotron{.name = "nemotron", .read = read_nemotron};

}  // namespace hearth
