#include "support/tiny_model.h"

#include <cmath>
#include <random>
#include <span>

#include "gguf/rows.h"

namespace hearth::test {
namespace {

constexpr double kEps = 1e-5;
constexpr double kRopeBase = 10000.0;

// The characters byte-level BPE writes the 256 bytes with: printable Latin-1 as itself, the others
// from U+0100 on.
std::vector<std::string> byte_tokens() {
    std::vector<std::string> tokens;
    unsigned next = 0x100;
    for (unsigned byte = 0; byte < 256; ++byte) {
        const bool itself =
            (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
        const unsigned code = itself ? byte : next++;
        std::string text;
        if (code < 0x80) {
            text += static_cast<char>(code);
        } else {
            text += static_cast<char>(0xC0 | (code >> 6));
            text += static_cast<char>(0x80 | (code & 0x3F));
        }
        tokens.push_back(text);
    }
    return tokens;
}

}  // namespace

TinyModel::TinyModel(TinyModelOptions options, unsigned seed) : options_(std::move(options)) {
    const auto size = [](int n) { return static_cast<std::uint64_t>(n); };
    const int head_dim = options_.n_embd / options_.n_head;
    const int n_kv = head_dim * options_.n_head_kv;
    const std::uint64_t n_embd = size(options_.n_embd);
    const DType type = options_.type;
    unsigned next = seed * 1000;
    const auto matrix = [&](const std::string& name, std::uint64_t rows, std::uint64_t cols) {
        add_tensor(name, {rows, cols}, 1.0F / std::sqrt(static_cast<float>(cols)), 0, type, ++next);
    };
    const auto vector = [&](const std::string& name, std::uint64_t n, float mean) {
        add_tensor(name, {n}, 0.1F, mean, DType::F32, ++next);
    };
    const std::uint64_t n_rows = size(kVocab + options_.n_padding_rows);
    add_tensor("token_embd.weight", {n_rows, n_embd}, 1.0F, 0, type, ++next);
    for (int i = 0; i < options_.n_layer; ++i) {
        const std::string prefix = "blk." + std::to_string(i) + ".";
        vector(prefix + "attn_norm.weight", n_embd, 1);
        matrix(prefix + "attn_q.weight", n_embd, n_embd);
        matrix(prefix + "attn_k.weight", size(n_kv), n_embd);
        matrix(prefix + "attn_v.weight", size(n_kv), n_embd);
        if (options_.qkv_bias) {
            vector(prefix + "attn_q.bias", n_embd, 0);
            vector(prefix + "attn_k.bias", size(n_kv), 0);
            vector(prefix + "attn_v.bias", size(n_kv), 0);
        }
        matrix(prefix + "attn_output.weight", n_embd, n_embd);
        vector(prefix + "ffn_norm.weight", n_embd, 1);
        matrix(prefix + "ffn_gate.weight", size(options_.n_ff), n_embd);
        matrix(prefix + "ffn_up.weight", size(options_.n_ff), n_embd);
        matrix(prefix + "ffn_down.weight", n_embd, size(options_.n_ff));
    }
    vector("output_norm.weight", n_embd, 1);
    if (options_.rope_factors) {
        vector("rope_freqs.weight", size(head_dim / 2), 2);
    }
    if (!options_.tied) {
        matrix("output.weight", n_rows, n_embd);
    }
}

void TinyModel::add_tensor(const std::string& name, std::vector<std::uint64_t> shape, float scale,
                           float mean, DType type, unsigned seed) {
    std::mt19937 random(seed);
    std::uint64_t count = 1;
    for (const std::uint64_t n : shape) {
        count *= n;
    }
    std::vector<float> values(count);
    for (float& value : values) {
        // Roughly normal, and the same on every platform.
        double sum = -6;
        for (int i = 0; i < 12; ++i) {
            sum += static_cast<double>(random()) * 0x1p-32;
        }
        value = mean + scale * static_cast<float>(sum);
    }
    Bytes bytes(row_bytes(type, shape.back()) * (count / shape.back()));
    const std::size_t cols = shape.back();
    Vector kept;
    std::vector<float> row(cols);
    for (std::size_t r = 0; r < count / cols; ++r) {
        std::byte* place = bytes.data() + r * row_bytes(type, cols);
        quantize_row(type, std::span(values).subspan(r * cols, cols), place);
        dequantize_row(type, place, row);
        kept.insert(kept.end(), row.begin(), row.end());
    }
    stored_.push_back({name, std::move(shape), type, std::move(bytes)});
    values_[name] = std::move(kept);
}

GgufBuilder TinyModel::file() const {
    GgufBuilder builder;
    const std::string a = options_.arch + ".";
    const auto number = [](int n) { return static_cast<std::uint32_t>(n); };
    builder.key("general.architecture", options_.arch)
        .key("general.name", "Tiny")
        .key(a + "context_length", number(options_.n_ctx))
        .key(a + "embedding_length", number(options_.n_embd))
        .key(a + "block_count", number(options_.n_layer))
        .key(a + "feed_forward_length", number(options_.n_ff))
        .key(a + "attention.head_count", number(options_.n_head))
        .key(a + "attention.head_count_kv", number(options_.n_head_kv))
        .key(a + "attention.layer_norm_rms_epsilon", static_cast<float>(kEps))
        .key(a + "rope.dimension_count", number(options_.n_embd / options_.n_head))
        .key(a + "rope.freq_base", static_cast<float>(kRopeBase));
    if (options_.rope_linear_factor != 1.0F) {
        builder.key(a + "rope.scaling.type", "linear")
            .key(a + "rope.scaling.factor", options_.rope_linear_factor);
    }
    std::vector<std::string> tokens{"<|endoftext|>", "<|im_start|>", "<|im_end|>"};
    for (std::string& token : byte_tokens()) {
        tokens.push_back(std::move(token));
    }
    std::vector<std::int32_t> types(tokens.size(), 1);
    types[0] = types[1] = types[2] = 3;
    builder.key("tokenizer.ggml.model", "gpt2")
        .key("tokenizer.ggml.pre", "gpt-2")
        .array("tokenizer.ggml.tokens", tokens)
        .array("tokenizer.ggml.token_type", types)
        .array("tokenizer.ggml.merges", std::vector<std::string>{})
        .key("tokenizer.ggml.eos_token_id", std::uint32_t{2})
        .key("tokenizer.ggml.add_bos_token", false);
    for (const Stored& tensor : stored_) {
        builder.tensor(tensor.name, tensor.shape, tensor.type, tensor.bytes);
    }
    return builder;
}

TinyModel::Vector TinyModel::multiply(const std::string& name, const Vector& x) const {
    const Vector& w = tensor(name);
    const std::size_t cols = x.size();
    Vector y(w.size() / cols);
    for (std::size_t r = 0; r < y.size(); ++r) {
        for (std::size_t c = 0; c < cols; ++c) {
            y[r] += w[r * cols + c] * x[c];
        }
    }
    return y;
}

TinyModel::Vector TinyModel::norm(const std::string& name, const Vector& x) const {
    double squares = 0;
    for (const double v : x) {
        squares += v * v;
    }
    const double scale = 1.0 / std::sqrt(squares / static_cast<double>(x.size()) + kEps);
    Vector y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        y[i] = x[i] * scale * tensor(name)[i];
    }
    return y;
}

void TinyModel::rotate(Vector& x, int n_heads, int position) const {
    const std::size_t dim = x.size() / static_cast<std::size_t>(n_heads);
    for (std::size_t at = 0; at < x.size(); at += 2) {
        const std::size_t pair = at % dim / 2;
        double angle =
            position *
            std::pow(kRopeBase, -2.0 * static_cast<double>(pair) / static_cast<double>(dim)) /
            static_cast<double>(options_.rope_linear_factor);
        if (options_.rope_factors) {
            angle /= tensor("rope_freqs.weight")[pair];
        }
        const double a = x[at];
        const double b = x[at + 1];
        x[at] = a * std::cos(angle) - b * std::sin(angle);
        x[at + 1] = a * std::sin(angle) + b * std::cos(angle);
    }
}

std::vector<double> TinyModel::logits(const std::vector<std::int32_t>& tokens) const {
    const auto n_embd = static_cast<std::size_t>(options_.n_embd);
    const auto n_head = static_cast<std::size_t>(options_.n_head);
    const std::size_t dim = n_embd / n_head;
    const std::size_t shared = n_head / static_cast<std::size_t>(options_.n_head_kv);
    std::vector<std::vector<Vector>> keys(static_cast<std::size_t>(options_.n_layer));
    std::vector<std::vector<Vector>> values(keys.size());
    std::vector<double> out;
    const auto with_bias = [&](Vector y, const std::string& bias) {
        if (options_.qkv_bias) {
            for (std::size_t i = 0; i < y.size(); ++i) {
                y[i] += tensor(bias)[i];
            }
        }
        return y;
    };
    for (std::size_t t = 0; t < tokens.size(); ++t) {
        const auto row = static_cast<std::size_t>(tokens[t]) * n_embd;
        const Vector& table = tensor("token_embd.weight");
        Vector x(table.begin() + static_cast<std::ptrdiff_t>(row),
                 table.begin() + static_cast<std::ptrdiff_t>(row + n_embd));
        for (std::size_t layer = 0; layer < keys.size(); ++layer) {
            const std::string p = "blk." + std::to_string(layer) + ".";
            Vector n = norm(p + "attn_norm.weight", x);
            Vector q = with_bias(multiply(p + "attn_q.weight", n), p + "attn_q.bias");
            Vector k = with_bias(multiply(p + "attn_k.weight", n), p + "attn_k.bias");
            rotate(q, options_.n_head, static_cast<int>(t));
            rotate(k, options_.n_head_kv, static_cast<int>(t));
            keys[layer].push_back(k);
            values[layer].push_back(with_bias(multiply(p + "attn_v.weight", n), p + "attn_v.bias"));
            Vector attended(n_embd);
            for (std::size_t head = 0; head < n_head; ++head) {
                const std::size_t kv = head / shared * dim;
                Vector weight(t + 1);
                double total = 0;
                for (std::size_t past = 0; past <= t; ++past) {
                    double score = 0;
                    for (std::size_t c = 0; c < dim; ++c) {
                        score += q[head * dim + c] * keys[layer][past][kv + c];
                    }
                    weight[past] = std::exp(score / std::sqrt(static_cast<double>(dim)));
                    total += weight[past];
                }
                for (std::size_t past = 0; past <= t; ++past) {
                    for (std::size_t c = 0; c < dim; ++c) {
                        attended[head * dim + c] +=
                            weight[past] / total * values[layer][past][kv + c];
                    }
                }
            }
            const Vector attention = multiply(p + "attn_output.weight", attended);
            for (std::size_t i = 0; i < n_embd; ++i) {
                x[i] += attention[i];
            }
            n = norm(p + "ffn_norm.weight", x);
            const Vector gate = multiply(p + "ffn_gate.weight", n);
            const Vector up = multiply(p + "ffn_up.weight", n);
            Vector hidden(gate.size());
            for (std::size_t i = 0; i < hidden.size(); ++i) {
                hidden[i] = options_.arch == "bamboo"
                                ? std::max(gate[i], 0.0) * std::max(up[i], 0.0)
                                : gate[i] / (1.0 + std::exp(-gate[i])) * up[i];
            }
            const Vector down = multiply(p + "ffn_down.weight", hidden);
            for (std::size_t i = 0; i < n_embd; ++i) {
                x[i] += down[i];
            }
        }
        const Vector y = multiply(options_.tied ? "token_embd.weight" : "output.weight",
                                  norm("output_norm.weight", x));
        out.insert(out.end(), y.begin(), y.end());
    }
    return out;
}

}  // namespace hearth::test
