// The architecture of a language model as data. The decoder walks it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <hearth/result.h>

#include "gguf/reader.h"

namespace hearth {

enum class NormKind {
    Rms,    // x / sqrt(mean(x^2) + eps) * weight
    Layer,  // the same of x - mean(x), + bias
};

// The feed-forward block is down(f(gate x, up x)), or down(f(up x)) where there is no gate.
enum class Activation {
    SiluGated,    // silu(gate) * up
    ReluGated,    // relu(gate) * up; the gate counts from ModelSpec::relu_threshold on
    DRelu,        // relu(gate) * relu(up)
    Relu,         // relu(up)
    ReluSquared,  // relu(up)^2
    Gelu,         // gelu(up), its tanh form
};
std::string_view to_string(Activation activation);
// "silu", "reglu", "drelu", "relu", "relu2", "gelu".
std::optional<Activation> activation_from_name(std::string_view name);
constexpr bool is_gated(Activation activation) {
    return activation != Activation::Relu && activation != Activation::ReluSquared &&
           activation != Activation::Gelu;
}
// Whether most hidden values are exactly zero. Computing only the neurons that fire then gives the
// same result.
constexpr bool is_sparse(Activation activation) {
    return activation != Activation::SiluGated && activation != Activation::Gelu;
}

enum class RopePairing {
    Neighbours,  // rotates (0,1), (2,3), ...
    Halves,      // rotates (0, d/2), (1, d/2 + 1), ...
    None,        // no rotation
};

// One row of the architecture table: everything that the architecture's name decides alone.
struct Architecture {
    std::string_view name;  // general.architecture
    NormKind norm;
    Activation activation;
    RopePairing rope;
    // Attention and feed-forward both read the layer's input, and both are added to it.
    bool parallel_block = false;
    bool biases = false;  // every matrix of a layer has one
    int first_learned_position =
        -1;  // row of position_embd that position 0 adds; -1: there is none
};

// Null: not in the table.
const Architecture* find_architecture(std::string_view name);

struct ModelSpec {
    std::string arch;
    int n_layer = 0;
    int n_embd = 0;
    int n_head = 0;
    int n_head_kv = 0;  // divides n_head
    int head_dim = 0;   // even
    int n_ff = 0;
    int n_vocab = 0;
    int n_ctx_train = 0;
    NormKind norm = NormKind::Rms;
    float norm_eps = 1e-5F;
    Activation activation = Activation::SiluGated;
    float relu_threshold =
        0.0F;  // ReluGated: gates at or below it count as 0 (ProSparse's FATReLU)
    RopePairing rope = RopePairing::Neighbours;
    int rope_dim = 0;  // leading dimensions of a head that are rotated; even
    float rope_base = 10000.0F;
    float rope_linear_factor = 1.0F;  // positions are divided by it
    bool tied_output = false;         // the output head is token_embd
    bool qkv_bias = false;
    bool fused_qkv = false;     // one tensor holds the rows of q, then k, then v
    bool block_biases = false;  // attention's output, up and down have one
    bool parallel_block = false;
    bool down_by_neuron = false;  // in some layer at least
    int n_positions = 0;          // rows of position_embd; 0: the model has none
    int first_learned_position = 0;

    int n_embd_q() const { return n_head * head_dim; }
    int n_embd_kv() const { return n_head_kv * head_dim; }
};

// Reads the metadata, and the tensor table where the metadata is silent (vocabulary size, tied
// output). BadFile: a key is missing, of the wrong type or out of range. Unsupported: an
// architecture, a RoPE scaling or a feature that no row describes; the message names it.
//
// The activation is the first of these that is there:
//   `stated`;
//   the key hearth.activation;
//   for PowerInfer's files (magic PWRI, or the down projection stored by neuron) the ReLU form of
//   the architecture's activation, which is what PowerInfer computes;
//   the architecture's row.
// A plain GGUF of a ReLU-gated LLaMA does not say that it is one. `stated` is the only way there.
Result<ModelSpec> read_model_spec(const GgufFile& file,
                                  std::optional<Activation> stated = std::nullopt);

}  // namespace hearth
