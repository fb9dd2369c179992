// LLaMA and what has its shape: Mistral, SmolLM, and so on.
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

}  // namespace

extern constinit const Architecture kLlama{.name = "llama", .read = read_llama};

}  // namespace hearth
