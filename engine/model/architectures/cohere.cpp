// Command R7B: attention and feed-forward both read the layer's input by one Layer norm without a
// bias. Three of four layers see a window and rotate; the fourth sees all and does not.
#include <array>

#include "model/architectures/architectures.h"
#include "model/architectures/decoder_only.h"

namespace hearth {
namespace {

constexpr int kMostWindow = 1 << 27;

Result<ModelSpec> read_cohere2(Keys& keys, std::optional<Activation> stated) {
    auto spec = read_decoder(keys,
                             {.norm = NormKind::Layer,
                              .activation = Activation::SiluGated,
                              .rope = RopePairing::Neighbours,
                              .norm_biases = false,
                              .norms = Norms::ParallelOne},
                             stated);
    if (!spec) {
        return spec;
    }
    spec->logit_scale = keys.positive("logit_scale");
    const int window = keys.integer("attention.sliding_window", 1, kMostWindow);
    const std::vector<bool> windowed = windowed_layers(keys, spec->n_layer(), 4);
    for (std::size_t i = 0; i < windowed.size(); ++i) {
        AttentionSpec& attention = spec->layers[i].attention;
        if (windowed[i]) {
            attention.window = window;
        } else {
            attention.rope = {.pairing = RopePairing::None};
        }
    }
    return spec;
}

constexpr std::array kNames{
    TensorName{"attn_norm.weight", {Role::AttnNorm}},
    TensorName{"attn_norm.weight", {Role::FfnNorm}},
};

}  // namespace

extern constinit const Architecture kCohere2{
    .name = "cohere2", .read = read_cohere2, .names = kNames};

}  // namespace hearth
