// Phi 3, 3.5 and 4: LLaMA's layers with pairs half a head apart; q, k and v are one matrix, and so
// are gate and up. Factors of the rotation for long contexts come with the file (LongRoPE). A
// window that files state is not applied: converters write it for models that were trained without
// one, too.
#include <array>

#include "model/architectures/architectures.h"
#include "model/architectures/decoder_only.h"

namespace hearth {
namespace {

Result<ModelSpec> read_phi3(Keys& keys, std::optional<Activation> stated) {
    return read_decoder(
        keys,
        {.norm = NormKind::Rms, .activation = Activation::SiluGated, .rope = RopePairing::Halves},
        stated);
}

constexpr std::array kNames{TensorName{"ffn_up.weight", {Role::Gate, Role::Up}}};

}  // namespace

extern constinit const Architecture kPhi3{.name = "phi3", .read = read_phi3, .names = kNames};

}  // namespace hearth
