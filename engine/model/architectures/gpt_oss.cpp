// gpt-oss: mixtures whose matrices all have biases and whose function is clamped, attention with
// sinks, and a window in every second layer.
#include <array>

#include "model/architectures/architectures.h"
#include "model/architectures/decoder_only.h"

namespace hearth {
namespace {

constexpr int kMostWindow = 1 << 27;

Result<ModelSpec> read_gpt_oss(Keys& keys, std::optional<Activation> stated) {
    auto spec = read_decoder(
        keys,
        {.norm = NormKind::Rms,
         .activation = Activation::SiluClamped,
         .rope = RopePairing::Halves,
         .biases = true,
         .experts = {.scores = RouterScores::SoftmaxOfChosen, .normed = false, .biases = true}},
        stated);
    if (!spec) {
        return spec;
    }
    if (!spec->layers.front().is_mixture()) {
        keys.bad("expert_count", "must be positive");
        return spec;
    }
    const int window = keys.integer("attention.sliding_window", 1, kMostWindow);
    const std::vector<bool> windowed = windowed_layers(keys, spec->n_layer(), 2);
    for (std::size_t i = 0; i < windowed.size(); ++i) {
        AttentionSpec& attention = spec->layers[i].attention;
        attention.sinks = true;
        if (windowed[i]) {
            attention.window = window;
            attention.rope.base = keys.positive_or("rope.freq_base_swa", attention.rope.base);
        }
    }
    return spec;
}

constexpr std::array kNames{TensorName{"post_attention_norm.weight", {Role::FfnNorm}}};

}  // namespace

extern constinit const Architecture kGptOss{
    .name = "gpt-oss", .read = read_gpt_oss, .names = kNames, .experts = true};

}  // namespace hearth
