// Granite: LLaMA's layers with scales of the embedding, of scores, of what a block adds and of
// logits.
#include "model/architectures/architectures.h"
#include "model/architectures/decoder_only.h"

namespace hearth {
namespace {

Result<ModelSpec> read_granite(Keys& keys, std::optional<Activation> stated) {
    auto spec = read_decoder(keys,
                             {.norm = NormKind::Rms,
                              .activation = Activation::SiluGated,
                              .rope = RopePairing::Neighbours},
                             stated);
    if (!spec) {
        return spec;
    }
    spec->embedding_scale = keys.positive_or("embedding_scale", 1.0F);
    spec->logit_scale = 1.0F / keys.positive("logit_scale");
    bool rotates = true;
    if (keys.has("rope.scaling.finetuned")) {
        const std::string key = keys.key("rope.scaling.finetuned");
        const auto found = keys.file().metadata().boolean(key);
        if (!found) {
            keys.fail(found.error().code, key, found.error().message);
            return spec;
        }
        rotates = *found;
    }
    for (LayerSpec& layer : spec->layers) {
        layer.residual_scale = keys.positive_or("residual_scale", 1.0F);
        layer.attention.scale = keys.positive_or("attention.scale", layer.attention.scale);
        if (!rotates) {
            layer.attention.rope = {.pairing = RopePairing::None};
        }
    }
    return spec;
}

}  // namespace

extern constinit const Architecture kGranite{.name = "granite", .read = read_granite};

}  // namespace hearth
