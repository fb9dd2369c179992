// SmallThinker: mixtures of ReLU-gated experts whose routers read the stream that a layer begins
// with. In the larger kind three of four layers see a window and rotate; the first of four sees all
// and does not.
#include <string_view>

#include "model/architectures/architectures.h"
#include "model/architectures/decoder_only.h"

namespace hearth {
namespace {

constexpr std::string_view kWindow = "attention.sliding_window";
constexpr std::string_view kScores = "expert_gating_func";
constexpr int kMostWindow = 1 << 27;
// The models see so many positions, whatever size a file states.
constexpr int kSeen = 4096;
constexpr int kPattern = 4;
// A converter states softmax and says nothing of sigmoids, which the kind of so many layers has.
constexpr int kLayersOfSigmoids = 32;

Result<ModelSpec> read_smallthinker(Keys& keys, std::optional<Activation> stated) {
    auto spec = read_decoder(
        keys,
        {.norm = NormKind::Rms, .activation = Activation::ReluGated, .rope = RopePairing::Halves},
        stated);
    if (!spec) {
        return spec;
    }
    if (!spec->layers.front().is_mixture()) {
        keys.bad("expert_count", "must be positive");
        return spec;
    }
    if (keys.has("attention.sliding_window_pattern")) {
        keys.unsupported("attention.sliding_window_pattern",
                         "this architecture is not known to have it");
    }
    const bool windows = keys.integer_or(kWindow, 0, kMostWindow, 0) > 0;
    const bool sigmoids =
        spec->n_layer() == kLayersOfSigmoids && keys.integer_or(kScores, 0, 1 << 20, 0) == 0;
    for (int i = 0; i < spec->n_layer(); ++i) {
        LayerSpec& layer = spec->layers[static_cast<std::size_t>(i)];
        layer.experts.routed_early = true;
        if (sigmoids) {
            layer.experts.scores = RouterScores::Sigmoid;
        }
        if (windows && i % kPattern == 0) {
            layer.attention.rope = {.pairing = RopePairing::None};
        } else if (windows) {
            layer.attention.window = kSeen;
        }
    }
    return spec;
}

}  // namespace

extern constinit const Architecture kSmallThinker{
    .name = "smallthinker", .read = read_smallthinker, .experts = true};

}  // namespace hearth
