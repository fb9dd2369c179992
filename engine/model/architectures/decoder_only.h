// What the architectures share: a stack of layers of attention and a feed-forward block.
#pragma once

#include <optional>
#include <vector>

#include <hearth/result.h>

#include "model/architectures/keys.h"
#include "model/model_spec.h"

namespace hearth {

// The width of the expert that every token reads, where neither "expert_shared_feed_forward_length"
// nor "expert_shared_count" says it.
enum class SharedExpert {
    None,
    Wide,    // "feed_forward_length"
    Beside,  // likewise, of each layer: a dense block beside experts with norms of their own
};

// An architecture's mixtures, unless a file says otherwise by "expert_gating_func",
// "expert_weights_norm" and "expert_weights_scale".
struct ExpertTraits {
    RouterScores scores = RouterScores::Softmax;
    bool normed = true;
    bool may_be_biased = false;
    bool biases = false;
    SharedExpert shared = SharedExpert::None;
    bool shared_gate = false;  // a token decides how much the shared expert says
    bool scaled = false;       // each expert has a factor of its own
};

// What an architecture's name decides alone.
struct DecoderTraits {
    NormKind norm;
    Activation activation;
    RopePairing rope;
    bool biases = false;      // every matrix of a layer has one
    bool norm_biases = true;  // Layer norms have one
    Norms norms = Norms::Two;
    HeadNorm head_norm = HeadNorm::None;
    // The width of keys; null: as "attention.key_length" says, and values are as wide. May fail the
    // keys.
    int (*head_dim)(Keys& keys) = nullptr;
    int least_head_kv = 1;  // 0: a layer without key/value heads is what of_layer makes of it
    // A block of the file is attention (or what of_layer makes of it) or a feed-forward block. One
    // of the latter belongs to the layer of the block before it.
    bool lone_blocks = false;
    // The mixtures among the layers: where "expert_count" says so, all but the first
    // "leading_dense_block_count".
    ExpertTraits experts{};
    // Changes what the common keys say of the layer whose attention is in block `block` of the
    // file, before it is checked. May fail the keys.
    using OfLayer = void (*)(Keys& keys, int block, LayerSpec& layer);
    OfLayer of_layer = nullptr;
};

// The spec that the keys common to all architectures describe. A layer of a file may have biases of
// q, k and v although the architecture asks for none.
Result<ModelSpec> read_decoder(Keys& keys, const DecoderTraits& traits,
                               std::optional<Activation> stated);

// The experts that the keys describe. None: "expert_count" is not there, or 0. Fails the keys where
// they contradict each other.
ExpertsSpec read_experts(Keys& keys, const ExpertTraits& traits);

// Fails the keys where the heads of queries do not share those of keys evenly, or are too wide.
void check_heads(Keys& keys, const AttentionSpec& attention);

// The layers that see a window of "attention.sliding_window" positions, by
// "attention.sliding_window_pattern": one truth a layer, or a number n, of which every n-th layer
// sees all. [n_layer]
std::vector<bool> windowed_layers(Keys& keys, int n_layer, int usual_pattern);

// Whether PowerInfer made the file: the down projection lies by neuron, or the magic is
// PowerInfer's. PowerInfer computes ReLU in such a file, whatever the architecture's dense files
// mean.
bool is_powerinfer_file(const GgufFile& file);
// Of a gated block: ReLU in PowerInfer's files, else `dense`.
Activation gated_activation(const GgufFile& file, Activation dense);

}  // namespace hearth
