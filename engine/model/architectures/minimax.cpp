// MiniMax M2: mixtures whose tokens choose by sigmoids and a bias, with all heads of q and of k
// normed at once and a part of each head rotated.
#include "model/architectures/architectures.h"
#include "model/architectures/decoder_only.h"

namespace hearth {
namespace {

Result<ModelSpec> read_minimax_m2(Keys& keys, std::optional<Activation> stated) {
    return read_decoder(keys,
                        {.norm = NormKind::Rms,
                         .activation = Activation::SiluGated,
                         .rope = RopePairing::Halves,
                         .head_norm = HeadNorm::Whole,
                         .experts = {.scores = RouterScores::Sigmoid, .may_be_biased = true}},
                        stated);
}

}  // namespace

extern constinit const Architecture kMinimaxM2{
    .name = "minimax-m2", .read = read_minimax_m2, .experts = true};

}  // namespace hearth
