// A small model with random weights, as a file, and its logits computed a second way: plain loops
// in double precision that share no code with the engine.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gguf/dtype.h"
#include "support/gguf_builder.h"

namespace hearth::test {

struct TinyModelOptions {
    std::string arch = "bamboo";
    DType type = DType::F32;  // of the matrices; the reference sees what the type keeps of them
    int n_layer = 2;
    int n_embd = 64;
    int n_head = 4;
    int n_head_kv = 2;
    int n_ff = 96;
    int n_ctx = 128;
    bool tied = false;
    bool qkv_bias = false;
    bool rope_factors = false;
    float rope_linear_factor = 1.0F;
    int n_padding_rows = 0;  // rows of the embedding and the head beyond the vocabulary
};

class TinyModel {
public:
    explicit TinyModel(TinyModelOptions options = {}, unsigned seed = 1);

    static constexpr int kVocab = 259;  // <|endoftext|> <|im_start|> <|im_end|> and the 256 bytes

    // The whole file; a test may go on adding to it.
    GgufBuilder file() const;
    // False if it could not be written.
    bool write(const std::string& path) const { return file().write(path); }

    // [tokens.size(), kVocab] of a fresh context.
    std::vector<double> logits(const std::vector<std::int32_t>& tokens) const;

private:
    using Vector = std::vector<double>;
    void add_tensor(const std::string& name, std::vector<std::uint64_t> shape, float scale,
                    float mean, DType type, unsigned seed);
    Vector multiply(const std::string& name, const Vector& x) const;
    Vector norm(const std::string& name, const Vector& x) const;
    void rotate(Vector& x, int n_heads, int position) const;
    const Vector& tensor(const std::string& name) const { return values_.at(name); }

    struct Stored {
        std::string name;
        std::vector<std::uint64_t> shape;
        DType type;
        Bytes bytes;
    };
    TinyModelOptions options_;
    std::vector<Stored> stored_;
    std::map<std::string, Vector> values_;
};

}  // namespace hearth::test
