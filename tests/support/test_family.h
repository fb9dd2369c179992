// How the test models of an architecture look: what TinyModel writes, ReferenceModel computes and
// the fuzz targets' corpus holds. An architecture is an entry of test_family.cpp. It says again, in
// other words, what engine/model/architectures says, and shares nothing with it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hearth::test {

struct TestFamily {
    std::string arch;
    // The feed-forward block's function, by the names of hearth.activation.
    std::string dense = "silu";
    std::string sparse = "reglu";  // in PowerInfer's files
    bool gated = true;
    bool dense_by_neuron = false;  // a down projection by neuron does not make it PowerInfer's

    bool layer_norm = false;  // norms less the mean, with a bias
    bool norm_biases = true;  // or without
    bool input_norms = true;  // before each block
    bool post_norms = false;  // of what each block adds
    bool parallel = false;    // both blocks read the layer's input, by one norm or by two
    bool biases = false;      // of every matrix of a layer
    bool qkv_bias = false;
    bool head_norm = false;
    bool plain_head_norm = false;  // without weights, in layers that see a window
    bool whole_norm = false;       // of all heads of q, and of all of k
    bool fused_qkv = false;
    bool fused_gate_up = false;
    bool scaled_embedding = false;
    bool tied = false;    // other engines know no output matrix of its own
    double soft_cap = 0;  // of scores
    double logit_soft_cap = 0;
    int window = 0;                     // positions
    int window_pattern = 0;             // every so many layers one sees all; 0: all of them do
    bool first_sees_all = false;        // the first of as many, and not the last
    bool window_rotates_alone = false;  // layers without a window do not rotate
    bool chunked = false;               // positions stand in chunks as long as a window
    double window_rope_base = 0;        // 0: the file's
    int unrotated_every = 0;            // the last of so many layers does not rotate
    double score_scale = 0;             // 0: by the width of a head
    double residual_scale = 1;
    double embedding_scale = 1;
    double logit_scale = 1;
    double rotated_share = 1;  // of a head
    int longrope_context = 0;  // likewise; more take long factors
    double rope_magnitude = 1;
    int window_head_dim = 0;              // of layers that see a window; 0: as the others
    int others_head_dim = 0;              // of the others
    int others_n_head_kv = 0;             // likewise; 0: as those that see a window
    bool others_keys_are_values = false;  // these have no attn_v
    bool value_norm = false;              // of each head, without a weight
    bool layer_scale = false;             // of what a layer leaves
    int n_embd_layer = 0;                 // values of a token for each layer
    int n_shared = 0;                     // last layers that read keys and values of one before
    double temperature = 0;               // of scores, by position
    int temperature_length = 0;
    int temperature_offset = 0;
    bool temperature_of_others = false;  // of layers without a window alone

    bool gated_heads = false;  // of attention, whose gates lie behind the queries of their heads
    bool sinks = false;        // of each head
    bool output_bias = false;  // of attention
    bool delta_nets = false;   // all but the last of some layers are these, see TinyModelOptions
    bool gated_convs = false;  // likewise
    bool mambas = false;       // likewise
    // Value heads of delta nets that share a key head are neighbours. Their betas and alphas are in
    // one tensor, key head by key head.
    bool neighbours_share = false;
    // A block of a file is Mamba-2, attention or a feed-forward block, see TinyModel::block_kind().
    bool lone_blocks = false;

    // Latent attention: the values of a token's latent and of what queries are made of, and of a
    // head's query the plain ones and the rotated ones behind them. 0: there is none.
    int latent_rank = 0;
    int latent_query_rank = 0;
    int latent_plain = 0;
    int latent_rotated = 0;
    int latent_values = 0;  // of a head

    // Mixtures of experts of n_ff neurons, behind n_leading layers that are none; 0: there is none.
    int n_experts = 0;
    int n_used_experts = 0;
    int n_leading = 0;
    int mixture_step = 0;  // the last of so many layers is a mixture; others are twice as wide
    // "softmax", "sigmoid", or "chosen": the softmax of the chosen ones' products.
    std::string router = "softmax";
    bool router_bias = false;    // of sigmoids, where experts are chosen
    bool normed_weights = true;  // a token's
    double weight_scale = 1;     // of these
    int n_expert_groups = 1;
    int n_used_groups = 1;
    int n_shared_experts = 0;    // that every token reads; they are one, so many times as wide
    bool shared_gate = false;    // weighted by the token
    bool expert_biases = false;  // of the router's products, and of each expert's matrices
    bool counts_shared = false;  // files say how many, not how wide
    bool known_shared = false;   // files say nothing of it
    bool routed_early = false;   // by what the layer begins with, without a norm
    bool weighs_inputs = false;  // weights multiply what experts read
    // A mixture has its dense block beside the experts. The block, the router and the experts read
    // norms of their own, what both give is normed, and each expert has a factor.
    bool dense_beside = false;

    // Residual streams, and the values that their mix goes through. 0: there is one, and norms.
    int n_streams = 0;
    int stream_rank = 0;
    // A table of which up to so many of the latest tokens choose rows, ngram_heads for each number
    // of tokens, and the taps of the convolution behind it. Rows of a token are as wide as its
    // embedding together. 0: there is none.
    int ngram_size = 0;
    int ngram_heads = 0;
    int ngram_taps = 0;
    // Attention chooses blocks of so many positions. 0: it sees all.
    int choice_block = 0;
    int choice_budget = 0;  // positions of the chosen blocks
    int choice_heads = 0;
    int choice_dim = 0;
    bool sigmoid_gates = false;  // of delta nets

    bool rotates = true;
    bool halves = false;         // pairs half a head apart
    bool has_positions = false;  // learned ones; the first two are no token's

    std::vector<std::pair<std::string, std::string>> keys{};  // more texts, behind "ARCH."
    std::vector<std::pair<std::string, float>> numbers{};     // more numbers, likewise
    std::vector<std::pair<std::string, int>> integers{};      // likewise
    std::vector<std::pair<std::string, bool>> truths{};       // likewise
    std::vector<std::int32_t> sections{};                     // rope.dimension_sections
    // The usual names of tensors and its own, without "blk.N." and ".weight".
    std::vector<std::pair<std::string, std::string>> names{};

    // The name in its files of the tensor that most files call `usual`.
    std::string name_of(const std::string& usual) const;
};

std::span<const TestFamily> test_families();
// An architecture without an entry has what is common, under its name.
TestFamily test_family(std::string_view arch);
bool has_test_family(std::string_view arch);
// "llama, bamboo and opt", as messages list them.
std::string test_family_names();

}  // namespace hearth::test
