// Gemma: GELU on the gate, pairs half a head apart, and an embedding scaled to the norm of a token.
// Files hold its norms' weights with the one that Gemma adds to them. Gemma 2 norms what a block
// adds, too, caps scores and logits, and every second layer sees a window. Gemma 3 norms heads
// instead of capping scores, five of six layers see a window, and these rotate by a base of their
// own.
#include <cmath>

#include "model/architectures/architectures.h"
#include "model/architectures/decoder_only.h"

namespace hearth {
namespace {

constexpr int kMostWindow = 1 << 27;

Result<ModelSpec> read_gemma_layers(Keys& keys, std::optional<Activation> stated, Norms norms,
                                    HeadNorm head_norm) {
    auto spec = read_decoder(keys,
                             {.norm = NormKind::Rms,
                              .activation = gated_activation(keys.file(), Activation::GeluGated),
                              .rope = RopePairing::Halves,
                              .norms = norms,
                              .head_norm = head_norm},
                             stated);
    if (spec) {
        spec->embedding_scale = std::sqrt(static_cast<float>(spec->n_embd));
    }
    return spec;
}

Result<ModelSpec> read_gemma(Keys& keys, std::optional<Activation> stated) {
    return read_gemma_layers(keys, stated, Norms::Two, HeadNorm::None);
}

// The largest of each generation, known by its layers, scales by the width that a head would have
// if heads shared the embedding evenly.
void scale_scores(ModelSpec& spec, int layers_of_largest) {
    for (LayerSpec& layer : spec.layers) {
        AttentionSpec& attention = layer.attention;
        const int width = spec.n_layer() == layers_of_largest ? spec.n_embd / attention.n_head
                                                              : attention.head_dim;
        attention.scale = 1.0F / std::sqrt(static_cast<float>(width));
    }
}

Result<ModelSpec> read_gemma2(Keys& keys, std::optional<Activation> stated) {
    auto spec = read_gemma_layers(keys, stated, Norms::Around, HeadNorm::None);
    if (!spec) {
        return spec;
    }
    scale_scores(*spec, 46);
    const int window = keys.integer_or("attention.sliding_window", 1, kMostWindow, 4096);
    const float soft_cap = keys.positive_or("attn_logit_softcapping", 50.0F);
    const std::vector<bool> windowed = windowed_layers(keys, spec->n_layer(), 2);
    for (std::size_t i = 0; i < windowed.size(); ++i) {
        AttentionSpec& attention = spec->layers[i].attention;
        attention.soft_cap = soft_cap;
        attention.window = windowed[i] ? window : 0;
    }
    spec->logit_soft_cap = keys.positive_or("final_logit_softcapping", 30.0F);
    return spec;
}

Result<ModelSpec> read_gemma3(Keys& keys, std::optional<Activation> stated) {
    auto spec = read_gemma_layers(keys, stated, Norms::Around, HeadNorm::Each);
    if (!spec) {
        return spec;
    }
    scale_scores(*spec, 62);
    if (keys.has("final_logit_softcapping")) {
        spec->logit_soft_cap = keys.positive("final_logit_softcapping");
    }
    const int window = keys.integer_or("attention.sliding_window", 0, kMostWindow, 0);
    if (window == 0) {
        return spec;
    }
    const float base = keys.positive_or("rope.freq_base_swa", 10000.0F);
    const std::vector<bool> windowed = windowed_layers(keys, spec->n_layer(), 6);
    for (std::size_t i = 0; i < windowed.size(); ++i) {
        AttentionSpec& attention = spec->layers[i].attention;
        if (windowed[i]) {
            attention.window = window;
            attention.rope.base = base;
            attention.rope.linear_factor = 1.0F;
            attention.rope.yarn_context = 0;
        }
    }
    return spec;
}

}  // namespace

extern constinit const Architecture kGemma{.name = "gemma", .read = read_gemma};
extern constinit const Architecture kGemma2{.name = "gemma2", .read = read_gemma2};
extern constinit const Architecture kGemma3{.name = "gemma3", .read = read_gemma3};

}  // namespace hearth
