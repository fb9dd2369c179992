// The architecture of a language model as data: what every layer computes, and what is the model's
// as a whole. Executors read it and know no architecture's name.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <hearth/result.h>

#include "gguf/reader.h"
#include "model/attention_spec.h"
#include "model/delta_net_spec.h"
#include "model/experts_spec.h"
#include "model/gated_conv_spec.h"
#include "model/latent_spec.h"
#include "model/ngram_spec.h"
#include "model/state_space_spec.h"

namespace hearth {

enum class NormKind {
    Rms,    // x / sqrt(mean(x^2) + eps) * weight
    Layer,  // the same of x - mean(x), + bias
};

// The feed-forward block is down(f(gate x, up x)), or down(f(up x)) where there is no gate.
enum class Activation {
    SiluGated,    // silu(gate) * up
    ReluGated,    // relu(gate) * up; the gate counts from LayerSpec::relu_threshold on
    DRelu,        // relu(gate) * relu(up)
    Relu,         // relu(up)
    ReluSquared,  // relu(up)^2
    Gelu,         // gelu(up), its tanh form
    GeluGated,    // gelu(gate) * up, likewise
    // x sigmoid(1.702 x) (y + 1), x the gate up to 7, y up from -7 to 7: gpt-oss
    SiluClamped,
};
std::string_view to_string(Activation activation);
// "silu", "reglu", "drelu", "relu", "relu2", "gelu", "geglu", "swiglu-oai".
std::optional<Activation> activation_from_name(std::string_view name);
bool is_gated(Activation activation);
// Whether most hidden values are exactly zero. Computing only the neurons that fire then gives the
// same result.
bool is_sparse(Activation activation);

// The first position that a query at `position` sees.
constexpr int first_seen(const AttentionSpec& attention, int position) {
    const int window = attention.window;
    if (attention.chunked) {
        return position / window * window;
    }
    return window == 0 || position < window ? 0 : position + 1 - window;
}

// The factor of the scores of the query at `position`.
inline float temperature_at(const AttentionSpec& attention, int position) {
    if (attention.temperature == 0.0F) {
        return 1.0F;
    }
    const int turns = (position + attention.temperature_offset) / attention.temperature_length;
    return static_cast<float>(1.0 + static_cast<double>(attention.temperature) *
                                        std::log(static_cast<double>(turns) + 1.0));
}

struct NormSpec {
    NormKind kind = NormKind::Rms;
    float eps = 1e-5F;
};

// Where a layer's norms stand, and what its two blocks read.
enum class Norms {
    Two,          // x += attention(norm(x)), then x += feed_forward(ffn_norm(x))
    ParallelOne,  // x += attention(norm(x)) + feed_forward(norm(x))
    ParallelTwo,  // x += attention(norm(x)) + feed_forward(ffn_norm(x))
    Around,       // x += post_norm(attention(norm(x))), then the block likewise
    After,        // x += post_norm(attention(x)), then the block likewise
};
constexpr bool is_parallel(Norms norms) {
    return norms == Norms::ParallelOne || norms == Norms::ParallelTwo;
}
constexpr bool norms_input(Norms norms) {
    return norms != Norms::After;
}
constexpr bool norms_output(Norms norms) {
    return norms == Norms::Around || norms == Norms::After;
}

// What one layer computes. Layers of one model may differ in any of it but the activation, which a
// file states once.
struct LayerSpec {
    NormSpec norm{};
    bool norm_bias = false;       // a Layer norm has one
    Norms norms = Norms::Two;     // norms of outputs are of kind Rms
    float residual_scale = 1.0F;  // what a block adds is multiplied by it

    AttentionSpec attention{};
    // Of a recurrent layer, which computes one of these instead of attention.
    DeltaNetSpec delta_net{};
    GatedConvSpec gated_conv{};
    StateSpaceSpec state_space{};
    LatentSpec latent{};  // beside attention
    // The layer begins by adding what it makes of the table's rows (ModelSpec::ngram).
    NgramConvSpec ngram{};
    // A file has the matrices of AttentionSpec::choice, and nothing is computed with them.
    bool choice_unused = false;
    bool qkv_bias = false;

    int n_ff = 0;  // of a mixture: of all experts; 0: the layer has no feed-forward block
    ExpertsSpec experts{};
    Activation activation = Activation::SiluGated;
    // ReluGated: gates at or below it count as 0 (ProSparse's FATReLU)
    float relu_threshold = 0.0F;
    bool down_by_neuron = false;  // the file stores the down projection's rows by neuron

    bool block_biases = false;  // attention's output, up and down must have one
    // The layer multiplies the stream that it leaves by a number of the file (Role::LayerScale).
    bool output_scale = false;

    // The blocks of the file ("blk.N.") that hold the layer's attention and its feed-forward block:
    // one in most files.
    int attention_block = 0;
    int feed_forward_block = 0;

    bool has_feed_forward() const { return n_ff > 0; }
    // Its experts are placed and read whole.
    bool is_mixture() const { return experts.present() && !experts.by_neuron; }
    // A router chooses runs of its neurons, and what is placed and read is a neuron.
    bool is_routed() const { return experts.present() && experts.by_neuron; }
    // A profile counts neurons, or experts; and the neurons of each of these.
    int n_counted() const { return is_mixture() ? experts.n : n_ff; }
    int n_ff_counted() const { return is_mixture() ? experts.n_ff : 1; }
    // Neurons of a block that is no mixture.
    int n_ff_whole() const { return is_mixture() ? 0 : n_ff; }
    // Neurons whose hidden values a batch needs at a time.
    int n_ff_at_once() const { return is_routed() ? experts.n_ff : n_ff_whole(); }

    bool is_delta_net() const { return delta_net.n_value_heads > 0; }
    bool is_gated_conv() const { return gated_conv.width > 0; }
    bool is_state_space() const { return state_space.n_heads > 0; }
    bool is_recurrent() const { return is_delta_net() || is_gated_conv() || is_state_space(); }
    bool is_latent() const { return latent.rank > 0; }
    // A recurrent layer whose heads have states: a delta net's or Mamba's.
    bool has_state_heads() const { return is_delta_net() || is_state_space(); }
    int n_state_heads() const {
        return is_state_space() ? state_space.n_heads : delta_net.n_value_heads;
    }
    // The short convolution of a recurrent layer: its channels, and the tokens that it sees.
    int conv_width() const {
        return is_delta_net()     ? delta_net.conv_width()
               : is_state_space() ? state_space.conv_width()
                                  : gated_conv.width;
    }
    int conv_kernel() const {
        return is_delta_net()     ? delta_net.conv_kernel
               : is_state_space() ? state_space.conv_kernel
                                  : gated_conv.kernel;
    }
    // Values of a token that Op::Attend reads and leaves. In a delta net q are the channels of its
    // convolution, k the heads' beta and v their alpha. In a gated convolution q are b, c and x. In
    // a layer of Mamba-2 q are the channels of its convolution and k the heads' steps.
    int n_embd_q() const {
        return has_state_heads() ? conv_width()
               : is_gated_conv() ? 3 * gated_conv.width
                                 : attention.n_head * attention.head_dim;
    }
    int n_embd_kv() const {
        return has_state_heads() ? n_state_heads()
               : is_gated_conv() ? 0
                                 : attention.n_head_kv * attention.head_dim;
    }
    // Values of a token that its heads attend to.
    int n_embd_v() const { return attention.n_head_kv * attention.values_dim(); }
    int n_attended() const {
        return is_delta_net()     ? delta_net.value_width()
               : is_state_space() ? state_space.width()
               : is_gated_conv()  ? gated_conv.width
               : is_latent()      ? attention.n_head * latent.value_dim
                                  : attention.n_head * attention.values_dim();
    }
    // Values of a token that heads leave: a matrix makes n_attended() of those of latent heads.
    int n_left_by_heads() const {
        return is_latent() ? attention.n_head * latent.rank : n_attended();
    }
    // Rows of Role::Q: with the gates of gated attention. Queries of latent attention are narrower
    // than the heads that they become.
    int n_rows_q() const {
        return is_latent() ? attention.n_head * (latent.plain_dim + attention.rope.dim)
               : is_recurrent() || !attention.gated ? n_embd_q()
                                                    : 2 * n_embd_q();
    }
    // Gates of what Op::Attend leaves.
    int n_gate() const { return has_state_heads() || attention.gated ? n_attended() : 0; }
    int heads_per_kv() const { return attention.n_head / attention.n_head_kv; }
};

struct ModelSpec {
    std::string arch;
    int n_embd = 0;
    // The residual stream is so many streams of n_embd values each (hyper-connections, Zhu et al.
    // 2024). They begin as the embedding each. A block reads a mix of them instead of a norm, and
    // what it gives is added to each of them with a weight of the token. The output head reads a
    // mix, too. A mix of more than one is
    //   mean over streams of s * sigmoid(up silu(down x / n_streams)),  x all s = norm(stream)
    // and weights are 2 sigmoid(inject x / n_streams).
    int n_streams = 1;
    int stream_rank = 0;  // rows of `down`; 0: there is one stream
    int n_vocab = 0;
    int n_ctx_train = 0;
    NormSpec output_norm{};
    bool output_norm_bias = false;
    bool tied_output = false;  // the output head is token_embd
    int n_positions = 0;       // rows of position_embd; 0: the model has none
    int first_learned_position = 0;
    float embedding_scale = 1.0F;  // a token's row of token_embd is multiplied by it
    float logit_scale = 1.0F;      // the output head's products are multiplied by it; positive
    float logit_soft_cap = 0.0F;   // and become soft_cap * tanh(logit / soft_cap); 0: they stay
    // A context of more positions takes rope_factors_long, another one rope_factors_short
    // (LongRoPE, Ding et al. 2024). 0: the model has neither.
    int longrope_context = 0;
    // Blocks of the file ("blk.N.") that the layers are made of. Behind them stand those which
    // foretell more tokens: they are left out.
    int n_blocks = 0;
    int n_left_out = 0;
    // Each token has so many values for each layer: a row of a table, and as many made of its
    // embedding. A layer adds what a small gated block makes of them, last. 0: there are none.
    int n_embd_layer = 0;
    NgramSpec ngram{};
    std::vector<LayerSpec> layers{};

    int n_layer() const { return static_cast<int>(layers.size()); }
    int n_residual() const { return n_streams * n_embd; }  // values of a token's residual stream
    bool mixes_streams() const { return n_streams > 1; }
    const LayerSpec& layer(int index) const { return layers[static_cast<std::size_t>(index)]; }
    // Precondition: there is a layer.
    Activation activation() const { return layers.front().activation; }

    // n_ff of each layer.
    std::vector<int> neurons() const;
    std::vector<int> counted() const;  // [n_layer] LayerSpec::n_counted()
    // The ways in which layers rotate, each once, in the order of the layers. Layers that do not
    // rotate have none.
    std::vector<RopeSpec> ropes() const;

    // A token's values for all layers.
    int n_layer_inputs() const { return n_layer() * n_embd_layer; }
    // True if a later layer reads the keys and values of this one.
    bool shares_past(int index) const {
        return any([index](const LayerSpec& layer) { return layer.attention.past_of == index; });
    }

    // Of the layer that has most: memory that layers share is made for it.
    int n_ff_max() const { return most(&LayerSpec::n_ff_whole); }
    int n_ff_at_once_max() const { return most(&LayerSpec::n_ff_at_once); }
    int n_head_max() const {
        return most([](const LayerSpec& layer) { return layer.attention.n_head; });
    }
    int n_head_kv_max() const {
        return most([](const LayerSpec& layer) { return layer.attention.n_head_kv; });
    }
    int rope_dim_max() const {
        return most([](const LayerSpec& layer) { return layer.attention.rope.dim; });
    }
    int n_embd_q_max() const { return most(&LayerSpec::n_embd_q); }
    int n_embd_kv_max() const { return most(&LayerSpec::n_embd_kv); }
    int n_attended_max() const { return most(&LayerSpec::n_attended); }
    int n_gate_max() const { return most(&LayerSpec::n_gate); }
    bool is_recurrent() const { return any(&LayerSpec::is_recurrent); }
    bool has_experts() const { return any(&LayerSpec::is_mixture); }
    bool has_routed_neurons() const { return any(&LayerSpec::is_routed); }
    template <class Size>
    int most(Size size) const {
        int found = 0;
        for (const LayerSpec& layer : layers) {
            found = std::max(found, std::invoke(size, layer));
        }
        return found;
    }
    template <class Is>
    bool any(Is is) const {
        return std::any_of(layers.begin(), layers.end(),
                           [&](const LayerSpec& layer) { return std::invoke(is, layer); });
    }
};

// Unsupported where a layer has no feed-forward block, or one whose neurons stand in experts;
// `what` is what needs single neurons: "packing".
Result<void> need_feed_forward_blocks(const ModelSpec& spec, std::string_view what);

// Makes each mixture's experts runs of single neurons (ExpertsSpec::by_neuron), as in a packed
// file. Unsupported: they have biases, a shared expert or inputs of their own; `what` is what needs
// it.
Result<void> part_experts(ModelSpec& spec, std::string_view what);

// Reads the metadata, and the tensor table where the metadata is silent (vocabulary size, tied
// output). BadFile: a key is missing, of the wrong type or out of range. Unsupported: an
// architecture, a RoPE scaling or a feature that no row describes; the message names it.
//
// The activation is the first of these that is there:
//   `stated`;
//   the key hearth.activation;
//   for PowerInfer's files (magic PWRI, or the down projection stored by neuron) the ReLU form of
//   the architecture's activation, which is what PowerInfer computes;
//   the architecture's own.
// A plain GGUF of a ReLU-gated LLaMA does not say that it is one. `stated` is the only way there.
Result<ModelSpec> read_model_spec(const GgufFile& file,
                                  std::optional<Activation> stated = std::nullopt);

}  // namespace hearth
