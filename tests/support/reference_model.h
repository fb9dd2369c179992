// A model file's logits computed a second way: plain loops in double precision that share no
// arithmetic with the engine and nothing but the header's reader. Slow, and right by being simple:
// no layout, no cache, every token of a text at once, layer by layer. Tensors are read as they are
// needed, so a 7B file takes little memory (and a minute for a few tokens).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gguf/reader.h"
#include "support/gguf_builder.h"
#include "support/test_family.h"

namespace hearth::test {

// A test may have layers that differ in what a file says once for all of them.
struct ReferenceLayer {
    double rope_base = 10000;
    double rope_linear_factor = 1;
    int rope_dim = 0;  // 0: the file's
    double norm_eps = 1e-5;
    double relu_threshold = 0;
    int chunk = 0;  // positions see those of their own chunk of so many; 0: as the family has it
    double temperature = 0;  // likewise
    int temperature_length = 0;
};

struct ReferenceOptions {
    bool predicted = false;  // layers with a predictor leave out what it says does not fire
    int threads = 1;
    std::vector<ReferenceLayer> layers{};  // one a layer; empty: as the file says
};

// One feed-forward block, of all tokens. Row-major.
struct ReferenceBlock {
    int layer = 0;
    std::span<const double> residual;  // [n_tokens, n_embd] what the predictor sees
    std::span<const double> normed;    // [n_tokens, n_embd] what gate and up see
    std::span<const double> score;     // [n_tokens, n_ff]; empty without a predictor
    std::span<const double> gate;      // [n_tokens, n_ff] pre-activation; of an ungated block, up's
    std::span<const double> hidden;    // [n_tokens, n_ff] what down sees
};

// Architectures: those of test_family.cpp, dense and as PowerInfer stores them; any activation the
// file states. Types: F32 F16 BF16 Q8_0 Q4_0 Q5_0 Q6_K; others as the
// engine decodes them.
class ReferenceModel {
public:
    // Empty if the file cannot be read or is of another architecture.
    static std::optional<ReferenceModel> open(const std::string& path);
    static std::optional<ReferenceModel> parse(Bytes bytes);  // a whole file

    int n_layer() const { return n_layer_; }
    int n_embd() const { return n_embd_; }
    int n_vocab() const { return n_vocab_; }

    // [tokens.size(), n_vocab] of a fresh context; a missing or odd tensor aborts.
    std::vector<double> logits(
        const std::vector<std::int32_t>& tokens, const ReferenceOptions& options = {},
        const std::function<void(const ReferenceBlock&)>& observer = {}) const;

private:
    static std::optional<ReferenceModel> make(GgufFile file, Bytes bytes);
    ReferenceModel(GgufFile file, Bytes bytes) : bytes_(std::move(bytes)), file_(std::move(file)) {}

    Bytes bytes_;  // after parse(): what file_ looks into
    GgufFile file_;
    TestFamily family_;
    int n_layer_ = 0;
    int n_embd_ = 0;
    int head_dim_ = 0;
    int rope_dim_ = 0;
    int n_vocab_ = 0;
    int n_key_heads_ = 0;  // of delta nets, where there are some
    int delta_dim_ = 0;
    int choice_block_ = 0;  // of attention that chooses blocks
    int choice_budget_ = 0;
    double eps_ = 1e-5;
    double rope_base_ = 10000;
    double rope_linear_factor_ = 1;
    int yarn_context_ = 0;  // 0: no YaRN
    double yarn_log_multiplier_ = 0;
    int n_ctx_ = 0;           // of the session: the file's
    std::string activation_;  // hearth.activation; empty: the file does not say
    double relu_threshold_ = 0;
    double embedding_scale_ = 1;  // test.embedding_scale
    double threshold_ = 0;
};

}  // namespace hearth::test
