// Gemma: GELU on the gate, pairs half a head apart, and an embedding scaled to the norm of a token.
// Files hold its norms' weights with the one that Gemma adds to them.
#include <cmath>

#include "model/architectures/architectures.h"
#include "model/architectures/decoder_only.h"

namespace hearth {
namespace {

Result<ModelSpec> read_gemma(Keys& keys, std::optional<Activation> stated) {
    auto spec = read_decoder(keys,
                             {.norm = NormKind::Rms,
                              .activation = gated_activation(keys.file(), Activation::GeluGated),
                              .rope = RopePairing::Halves},
                             stated);
    if (spec) {
        spec->embedding_scale = std::sqrt(static_cast<float>(spec->n_embd));
    }
    return spec;
}

}  // namespace

extern constinit const Architecture kGemma{.name = "gemma", .read = read_gemma};

}  // namespace hearth
