// A small model with random weights, as a file, and its logits computed a second way
// (reference_model.h). As other engines store it: dense, or by neuron and with predictors, as
// PowerInfer does.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gguf/dtype.h"
#include "support/gguf_builder.h"
#include "support/test_family.h"

namespace hearth::test {

// Sizes of a layer that differs from others.
struct TinyLayer {
    int n_head;
    int n_head_kv;
    int n_ff;
};

// The delta nets, gated convolutions or layers of Mamba-2, where a family has them. Gated
// convolutions know no heads.
struct TinyDeltaNet {
    int interval = 2;     // the last of so many layers has attention
    int n_key_heads = 2;  // or groups
    int n_value_heads = 4;
    int dim = 32;  // of heads; Mamba-2's states are wider
    int conv_kernel = 4;
};

struct TinyModelOptions {
    std::string arch = "bamboo";  // of test_family.cpp
    DType type = DType::F32;      // of the matrices; the reference sees what the type keeps of them
    int n_layer = 2;              // or blocks of one operation
    int n_embd = 64;
    int n_head = 4;
    int n_head_kv = 2;
    int n_ff = 96;
    int n_ctx = 128;
    bool tied = false;
    float output_scale = 1.0F;  // of output.weight
    bool qkv_bias = false;
    float sinks = 0;  // the mean of attention's, where a family has them
    bool rope_factors = false;
    float rope_linear_factor = 1.0F;
    int yarn_context = 0;     // original positions; 0: no YaRN
    int n_padding_rows = 0;   // rows of the embedding and the head beyond the vocabulary
    bool by_neuron = false;   // down as blk.N.ffn_down_t [n_ff, n_embd]
    bool pwri = false;        // the magic PWRI instead of GGUF
    int predictor_width = 0;  // of the first layer's fc1, half as much more in each next; 0: none
    DType predictor_type = DType::F32;
    std::optional<float> sparse_threshold = std::nullopt;
    bool second_norm = false;                         // falcon: attn_norm_2
    std::optional<DType> output_type = std::nullopt;  // if not `type`
    std::optional<DType> gate_type = std::nullopt;    // likewise
    DType vector_type = DType::F32;                   // of norms and biases
    int head_dim = 0;                                 // 0: n_embd / n_head
    int window_head_dim = 0;    // of families whose windowed layers have heads of their own
    bool plain_layers = false;  // no inputs of single layers, and each has a past of its own
    int rope_dim = 0;           // 0: the whole head
    float rope_base = 10000.0F;
    float norm_eps = 1e-5F;
    bool fused_qkv = false;      // also of architectures that have them apart
    bool fused_gate_up = false;  // likewise; the rows are what they are apart
    bool fused_delta = false;    // likewise: a delta net's channels and gates, by key head
    bool head_norm = false;
    float embedding_scale = 1.0F;  // a key of the test's own, which only the reference reads
    bool block_biases = false;     // of attention's output; of ungated blocks also of up and down
    std::string activation = {};   // hearth.activation; empty: the architecture's
    std::optional<float> relu_threshold = std::nullopt;  // hearth.activation.threshold
    std::vector<TinyLayer> layers = {};  // one a layer, or empty: all have the sizes above
    TinyDeltaNet delta_net = {};
    int n_left_out = 0;  // layers behind the last, which foretell more tokens
    // Experts of families that may have some and need none: LLaMA's, Granite's hybrids, Gemma 4's;
    // and how many of them a token uses. 0: as the family has it.
    int n_experts = 0;
    int n_used_experts = 0;
    // Values of a token that experts read and write, behind matrices of their own; 0: all.
    int n_latent = 0;
    std::optional<int> n_leading = std::nullopt;  // layers without experts, if not the family's
    // Latent attention has one matrix for keys and values, as older files do, and its queries are
    // made of the layer's input.
    bool fused_kv_b = false;
    bool whole_queries = false;
    // Positions that a query sees of the blocks that attention chooses; 0: the family's.
    int choice_budget = 0;
    // The deviation of a router's products. Wide apart, so that rounding decides between experts as
    // seldom as it can.
    float router_scale = 4.0F;
    // Of bamboo: which neurons fire for a token is what planted_fires() says, far from where
    // rounding decides. The reference knows nothing of it and needs not.
    bool planted = false;
};

class TinyModel {
public:
    explicit TinyModel(TinyModelOptions options = {}, unsigned seed = 1);

    static constexpr int kVocab = 259;  // <|endoftext|> <|im_start|> <|im_end|> and the 256 bytes

    // Each neuron looks at two bits of the token's number, or twice at the same: it fires for a
    // quarter of the tokens or for half of them.
    static bool planted_fires(int layer, int neuron, std::int32_t token);
    // Its gate is open: for half of the tokens; it fires for some of these.
    static bool planted_opens(int layer, int neuron, std::int32_t token);

    // The whole file; a test may go on adding to it.
    GgufBuilder file() const;
    // False if it could not be written.
    bool write(const std::string& path) const { return file().write(path); }

    // [tokens.size(), kVocab and the padding] of a fresh context. predicted: with predictors'
    // masks.
    std::vector<double> logits(const std::vector<std::int32_t>& tokens,
                               bool predicted = false) const;

private:
    // Changes a row of a tensor.
    using Plant = std::function<void(int row, std::span<float> values)>;
    void add_tensor(const std::string& name, std::vector<std::uint64_t> shape, float scale,
                    float mean, DType type, unsigned seed, const Plant& plant = {});
    int head_dim() const;
    int head_dim(int layer) const;
    bool sees_all(int layer) const;
    int n_own() const;  // layers that keep a past of their own
    int rope_dim() const;
    TinyLayer sizes(int layer) const;
    // The one operation of a block: 'M' Mamba-2, '*' attention, '-' a feed-forward block.
    char block_kind(int block) const;
    bool has_attention(int layer) const;
    bool has_feed_forward(int layer) const;
    void add_matrix(const std::string& name, std::uint64_t rows, std::uint64_t cols, DType type,
                    unsigned& next, const Plant& plant = {});
    void add_vector(const std::string& name, std::uint64_t n, float mean, unsigned& next);
    void add_norm(const std::string& name, unsigned& next);  // with a bias, where LayerNorm
    bool is_recurrent(int layer) const;
    int mamba_states() const;
    void add_mamba(const std::string& prefix, unsigned& next);
    void add_gated_conv(const std::string& prefix, unsigned& next);
    void add_delta_net(const std::string& prefix, unsigned& next);
    void add_left_out(unsigned& next);
    // The matrices of a mix of streams.
    void add_mix(const std::string& name, bool injects, unsigned& next);
    // The layer that reads a table of n-grams; -1: none does.
    int ngram_layer() const;
    std::vector<std::uint64_t> ngram_counts() const;  // rows of each head
    std::uint64_t ngram_width() const;                // values of a row
    void add_ngram_table(unsigned& next);
    void add_ngrams(const std::string& prefix, unsigned& next);
    void add_choice(const std::string& prefix, unsigned& next);
    void add_stream_keys(GgufBuilder& builder) const;
    void add_latent(int layer, const std::string& prefix, unsigned& next);
    void add_attention(int layer, const std::string& prefix, unsigned& next);
    void add_feed_forward(int layer, const std::string& prefix, unsigned& next);
    void add_experts(const std::string& prefix, unsigned& next);
    void add_dense_block(int layer, const std::string& prefix, unsigned& next);
    void fuse_last_two(const std::string& name);
    // Makes one tensor of the last two, key head by key head. rows: of each part of a key head,
    // those of the first tensor and those of the second one. A tensor has a part of all heads, then
    // the next part.
    void fuse_by_key_head(const std::string& name, const std::vector<std::uint64_t>& first_rows,
                          const std::vector<std::uint64_t>& second_rows);
    void fuse_experts(const std::string& name);

    struct Stored {
        std::string name;
        std::vector<std::uint64_t> shape;
        DType type;
        Bytes bytes;
    };
    TinyModelOptions options_;
    TestFamily family_;
    std::vector<Stored> stored_;
};

}  // namespace hearth::test
