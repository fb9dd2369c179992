// Llama 4: mixtures with one shared expert, often in every second layer only. A token's experts are
// chosen by sigmoids and weighted before they compute. Three of four layers rotate and see the
// chunk of positions that the token is in; their heads are normed in the kind that has few experts.
// The fourth layer sees all, does not rotate, and its scores grow with the query's position.
#include <string>
#include <string_view>

#include "model/architectures/architectures.h"
#include "model/architectures/decoder_only.h"

namespace hearth {
namespace {

constexpr std::int64_t kMostLayers = 4096;
constexpr std::int64_t kMostWidth = 1 << 20;
constexpr std::string_view kStep = "interleave_moe_layer_step";
constexpr std::string_view kWindow = "attention.sliding_window";
constexpr std::string_view kWhole = "feed_forward_length";
constexpr int kPattern = 4;
constexpr int kChunk = 8192;
constexpr float kTemperature = 0.1F;
constexpr int kExpertsWithoutNorms = 128;

void of_layer(Keys& keys, int block, LayerSpec& layer) {
    const int step = keys.integer(kStep, 1, kMostLayers);
    if (keys.failure()) {
        return;
    }
    AttentionSpec& attention = layer.attention;
    const bool normed = keys.integer("expert_count", 1, kMostWidth) != kExpertsWithoutNorms;
    if (block % kPattern == kPattern - 1) {
        attention.rope = {.pairing = RopePairing::None};
        attention.temperature = kTemperature;
        attention.temperature_length = kChunk;
        attention.temperature_offset = 1;
    } else {
        attention.window = kChunk;
        attention.chunked = true;
        if (normed) {  // behind the rotation, which changes no head's length but by its magnitude
            attention.head_norm = HeadNorm::Plain;
            attention.rope.magnitude = 1.0F;
        }
    }
    if ((block + 1) % step == 0) {
        layer.experts.n_ff_shared = layer.experts.n_ff;
        layer.experts.weighs_inputs = true;
        return;
    }
    const int n_layer = keys.integer("block_count", 1, kMostLayers);
    layer.n_ff = keys.per_layer(kWhole, 1, kMostWidth, n_layer)[static_cast<std::size_t>(block)];
    layer.experts = {};
}

Result<ModelSpec> read_llama4(Keys& keys, std::optional<Activation> stated) {
    if (keys.integer_or("expert_count", 0, kMostWidth, 0) == 0) {
        keys.bad("expert_count", "must be positive");
    }
    if (keys.has(kWindow) && keys.integer(kWindow, 0, 1 << 27) != kChunk) {
        keys.unsupported(kWindow, "layers of this architecture see chunks of " +
                                      std::to_string(kChunk) + " positions");
    }
    if (keys.failure()) {
        return *keys.failure();
    }
    return read_decoder(keys,
                        {.norm = NormKind::Rms,
                         .activation = Activation::SiluGated,
                         .rope = RopePairing::Neighbours,
                         .experts = {.scores = RouterScores::Sigmoid, .normed = false},
                         .of_layer = of_layer},
                        stated);
}

}  // namespace

extern constinit const Architecture kLlama4{.name = "llama4", .read = read_llama4, .experts = true};

}  // namespace hearth
