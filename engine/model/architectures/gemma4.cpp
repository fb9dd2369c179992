// Gemma 4: Gemma 3's norms around blocks and of heads, with two kinds of layers that differ in the
// size of their heads. Layers that see a window rotate by a base of their own; the others rotate by
// factors of the file, and may take their keys for values. Scores are not scaled: heads are normed,
// those of v too. The small kinds give each layer values of the token, and their last layers read
// keys and values of the last layers before them. In a mixture each layer has its dense block
// beside the experts, which read and give through norms of their own.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "model/architectures/architectures.h"
#include "model/architectures/decoder_only.h"

namespace hearth {
namespace {

constexpr int kMostWindow = 1 << 27;
constexpr int kMostHeadDim = 1024;
constexpr int kMostLayerInput = 1 << 16;

// The heads of layers that see a window. Sizes of the others are where all architectures have them.
struct WindowHeads {
    int window;
    int head_dim;
    int rope_dim;
    float rope_base;
};

WindowHeads read_window_heads(Keys& keys, const AttentionSpec& others) {
    WindowHeads heads{
        .window = keys.integer("attention.sliding_window", 1, kMostWindow),
        .head_dim = keys.integer_or("attention.key_length_swa", 2, kMostHeadDim, others.head_dim),
        .rope_dim = 0,
        .rope_base = keys.positive_or("rope.freq_base_swa", 10000.0F)};
    const int value_dim =
        keys.integer_or("attention.value_length_swa", 2, kMostHeadDim, heads.head_dim);
    if (value_dim != heads.head_dim) {
        keys.unsupported("attention.value_length_swa",
                         "value heads of " + std::to_string(value_dim) + " beside key heads of " +
                             std::to_string(heads.head_dim) + " are not supported");
    }
    heads.rope_dim = keys.integer_or("rope.dimension_count_swa", 2, kMostHeadDim,
                                     std::min(others.rope.dim, heads.head_dim));
    if (heads.head_dim % 2 != 0 || heads.rope_dim % 2 != 0 || heads.rope_dim > heads.head_dim) {
        keys.bad("rope.dimension_count_swa", "rotating " + std::to_string(heads.rope_dim) + " of " +
                                                 std::to_string(heads.head_dim) +
                                                 " head dimensions is not possible");
    }
    return heads;
}

void see_window(const WindowHeads& heads, AttentionSpec& attention) {
    attention.window = heads.window;
    attention.head_dim = heads.head_dim;
    attention.rope.dim = heads.rope_dim;
    attention.rope.base = heads.rope_base;
    attention.rope.linear_factor = 1.0F;
    attention.rope.yarn_context = 0;
    attention.rope.factored = false;
}

// Each of the last layers reads the past of the last layer of its kind that keeps one.
void share_pasts(Keys& keys, ModelSpec& spec) {
    constexpr std::string_view kKey = "attention.shared_kv_layers";
    const int n_layer = spec.n_layer();
    const int n_shared = keys.integer_or(kKey, 0, n_layer - 1, 0);
    const int n_own = n_layer - n_shared;
    for (int i = n_own; i < n_layer && !keys.failure(); ++i) {
        AttentionSpec& reader = spec.layers[static_cast<std::size_t>(i)].attention;
        int from = n_own - 1;
        while (from >= 0 && spec.layer(from).attention.window != reader.window) {
            --from;
        }
        const std::string layer = "layer " + std::to_string(i);
        if (from < 0) {
            keys.bad(kKey, layer + " has no layer of its kind before it whose keys it could read");
            return;
        }
        const AttentionSpec& read = spec.layer(from).attention;
        if (read.n_head_kv != reader.n_head_kv || read.head_dim != reader.head_dim) {
            keys.bad(kKey, layer + " has " + std::to_string(reader.n_head_kv) +
                               " key heads and would read the " + std::to_string(read.n_head_kv) +
                               " of layer " + std::to_string(from));
            return;
        }
        reader.past_of = from;
    }
}

Result<ModelSpec> read_gemma4(Keys& keys, std::optional<Activation> stated) {
    auto spec = read_decoder(keys,
                             {.norm = NormKind::Rms,
                              .activation = gated_activation(keys.file(), Activation::GeluGated),
                              .rope = RopePairing::Halves,
                              .norms = Norms::Around,
                              .head_norm = HeadNorm::Each,
                              .experts = {.shared = SharedExpert::Beside, .scaled = true}},
                             stated);
    if (!spec) {
        return spec;
    }
    spec->embedding_scale = std::sqrt(static_cast<float>(spec->n_embd));
    if (keys.has("final_logit_softcapping")) {
        spec->logit_soft_cap = keys.positive("final_logit_softcapping");
    }
    spec->n_embd_layer = keys.integer_or("embedding_length_per_layer_input", 0, kMostLayerInput, 0);
    const WindowHeads heads = read_window_heads(keys, spec->layers.front().attention);
    const std::vector<bool> windowed = windowed_layers(keys, spec->n_layer(), 6);
    bool rotates_by_factors = false;
    for (std::size_t i = 0; i < windowed.size() && !keys.failure(); ++i) {
        LayerSpec& layer = spec->layers[i];
        const auto index = static_cast<int>(i);
        layer.attention.scale = 1.0F;
        layer.attention.v_norm = true;
        layer.attention.v_is_k = keys.tensor(Role::V, index).tensor == nullptr;
        layer.experts.router_scale =
            layer.is_mixture() ? 1.0F / std::sqrt(static_cast<float>(spec->n_embd)) : 1.0F;
        layer.output_scale = keys.tensor(Role::LayerScale, index).tensor != nullptr;
        if (windowed[i]) {
            see_window(heads, layer.attention);
        }
        rotates_by_factors = rotates_by_factors || layer.attention.rope.factored;
        check_heads(keys, layer.attention);
    }
    share_pasts(keys, *spec);
    if (const RoleTensor factors = keys.tensor(Role::RopeFreqs);
        rotates_by_factors && factors.tensor == nullptr) {
        keys.fail(ErrorCode::BadFile, factors.name, factors.name + ": the file has no such tensor");
    }
    if (keys.failure()) {
        return *keys.failure();
    }
    return spec;
}

// The tensors of a dense block are those of the shared expert in a mixture, where the block's own
// roles are the experts'.
constexpr std::array kNames{TensorName{"ffn_gate.weight", {Role::SharedGate}},
                            TensorName{"ffn_up.weight", {Role::SharedUp}},
                            TensorName{"ffn_down.weight", {Role::SharedDown}}};

}  // namespace

extern constinit const Architecture kGemma4{
    .name = "gemma4", .read = read_gemma4, .names = kNames, .experts = true};

}  // namespace hearth
