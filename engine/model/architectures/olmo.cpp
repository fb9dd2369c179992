// OLMo 2: norms after each block instead of before it, and one norm of all heads of q and one of k.
// Its successor's layers that see a window rotate without scaling. OLMoE: norms before each block,
// the same norms of heads, and experts whose weights are not normed.
#include "model/architectures/architectures.h"
#include "model/architectures/decoder_only.h"

namespace hearth {
namespace {

constexpr int kMostWindow = 1 << 27;

Result<ModelSpec> read_olmo2(Keys& keys, std::optional<Activation> stated) {
    auto spec = read_decoder(keys,
                             {.norm = NormKind::Rms,
                              .activation = Activation::SiluGated,
                              .rope = RopePairing::Halves,
                              .norms = Norms::After,
                              .head_norm = HeadNorm::Whole},
                             stated);
    const int window = keys.integer_or("attention.sliding_window", 0, kMostWindow, 0);
    if (!spec || window == 0) {
        return spec;
    }
    const std::vector<bool> windowed = windowed_layers(keys, spec->n_layer(), 4);
    for (std::size_t i = 0; i < windowed.size(); ++i) {
        AttentionSpec& attention = spec->layers[i].attention;
        if (windowed[i]) {
            attention.window = window;
            attention.rope.linear_factor = 1.0F;
            attention.rope.yarn_context = 0;
            attention.rope.magnitude = 1.0F;
            attention.rope.base = keys.positive_or("rope.freq_base_swa", attention.rope.base);
        }
    }
    return spec;
}

Result<ModelSpec> read_olmoe(Keys& keys, std::optional<Activation> stated) {
    return read_decoder(keys,
                        {.norm = NormKind::Rms,
                         .activation = Activation::SiluGated,
                         .rope = RopePairing::Halves,
                         .head_norm = HeadNorm::Whole,
                         .experts = {.normed = false}},
                        stated);
}

}  // namespace

extern constinit const Architecture kOlmoe{.name = "olmoe", .read = read_olmoe, .experts = true};
extern constinit const Architecture kOlmo2{.name = "olmo2", .read = read_olmo2};

}  // namespace hearth
