// StarCoder 2: Layer norms, a bias for every matrix, and GELU without a gate.
#include "model/architectures/architectures.h"
#include "model/architectures/decoder_only.h"

namespace hearth {
namespace {

Result<ModelSpec> read_starcoder2(Keys& keys, std::optional<Activation> stated) {
    return read_decoder(keys,
                        {.norm = NormKind::Layer,
                         .activation = Activation::Gelu,
                         .rope = RopePairing::Halves,
                         .biases = true},
                        stated);
}

}  // namespace

extern constinit const Architecture kStarCoder2{.name = "starcoder2", .read = read_starcoder2};

}  // namespace hearth
