// Ministral 3 and Devstral: LLaMA's layers, with scores that grow with the query's position.
#include <cmath>
#include <string>

#include "model/architectures/architectures.h"
#include "model/architectures/decoder_only.h"

namespace hearth {
namespace {

constexpr int kMostContext = 1 << 27;

Result<ModelSpec> read_mistral3(Keys& keys, std::optional<Activation> stated) {
    auto spec = read_decoder(keys,
                             {.norm = NormKind::Rms,
                              .activation = gated_activation(keys.file(), Activation::SiluGated),
                              .rope = RopePairing::Neighbours},
                             stated);
    constexpr std::string_view kScale = "attention.temperature_scale";
    if (!spec || !keys.has(kScale)) {
        return spec;
    }
    const auto scale = keys.file().metadata().number(keys.key(kScale));
    if (!scale) {
        return scale.error();
    }
    if (!(*scale >= 0.0 && *scale <= 1e3)) {
        keys.bad(kScale, "is " + std::to_string(*scale) + ", must be from 0 to 1000");
        return spec;
    }
    // Every so many positions scores grow: the context before YaRN stretched it.
    const int length =
        keys.integer_or("rope.scaling.original_context_length", 1, kMostContext, spec->n_ctx_train);
    for (LayerSpec& layer : spec->layers) {
        layer.attention.temperature = static_cast<float>(*scale);
        layer.attention.temperature_length = length;
    }
    return spec;
}

}  // namespace

extern constinit const Architecture kMistral3{.name = "mistral3", .read = read_mistral3};

}  // namespace hearth
