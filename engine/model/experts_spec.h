// A mixture of experts: a feed-forward block cut into blocks of equal size, the experts, of which a
// router chooses some for each token (Shazeer et al. 2017, section 2).
#pragma once

#include <cstdint>

namespace hearth {

// The numbers that a router's products become, by which experts are chosen and weighted.
enum class RouterScores : std::uint8_t {
    Softmax,
    Sigmoid,
    SoftmaxOfChosen,  // chosen by the products; weights are the softmax of the chosen ones'
                      // products
};

struct ExpertsSpec {
    int n = 0;       // 0: the block is no mixture
    int n_used = 0;  // by a token
    int n_ff = 0;    // neurons of an expert: a multiple of kExpertBlock
    RouterScores scores = RouterScores::Softmax;
    // The file has a number an expert that is added to its score where experts are chosen, and not
    // where they are weighted (DeepSeek-V3, section 2.1.2).
    bool may_be_biased = false;
    // The router's products have a bias, and so have gate, up and down of each expert.
    bool biases = false;
    // Experts stand in groups of equal size, one after the other. A token's experts are of the best
    // groups: by the largest score where scores are a softmax's, else by the two largest together.
    int n_groups = 1;
    int n_used_groups = 1;
    bool normed = false;  // a token's weights are divided by their sum
    float scale = 1.0F;   // and multiplied by it
    // Values that experts read and write: a matrix of the layer makes them of a token's, and
    // another one makes a token's of their sum. The router and the shared expert read a token's
    // own. 0: experts read and write a token's own, too. Else a multiple of kExpertBlock.
    int n_latent = 0;
    // Neurons of an expert beside the others that every token reads; 0: there is none.
    int n_ff_shared = 0;
    bool shared_gate = false;  // what it computes is multiplied by sigmoid(a row * input)
    // The shared expert is a dense block beside the experts (Gemma 4). It reads the block's norm of
    // the stream. The router and the experts each read a norm of their own of the stream. The
    // experts' sum and what the shared expert gives are normed before they are added.
    bool norms_apart = false;
    // The router reads the stream that the layer begins with, before attention and without a norm
    // (SmallThinker). Experts read the block's norm of the stream as others do.
    bool routed_early = false;
    // A token's weights multiply what its experts read, not what they give (Llama 4).
    bool weighs_inputs = false;
    float router_scale = 1.0F;  // the router's products are multiplied by it
    bool scaled = false;        // the file has a factor of each expert's weights
    // The file stores each neuron of an expert by itself (packed_layout.h). Neurons are placed,
    // cached and left out one by one, and the router says which of them a token may need. Else an
    // expert is placed and read whole.
    bool by_neuron = false;

    bool present() const { return n > 0; }
    // Experts do not read what the shared one does, and their sum is no token's.
    bool has_own_input() const { return norms_apart || n_latent > 0; }
    // The share of the routed experts' weights that a token reads.
    double used_share() const { return static_cast<double>(n_used) / static_cast<double>(n); }

    bool operator==(const ExpertsSpec&) const = default;
};

// Experts begin at whole tiles and end at whole blocks of quantised values.
inline constexpr int kExpertBlock = 32;
inline constexpr int kMostExpertGroups = 64;

}  // namespace hearth
