#include "support/reference_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>
#include <thread>
#include <utility>

#include "gguf/rows.h"

namespace hearth::test {
namespace {

using Matrix = std::vector<double>;  // [tokens, columns], row-major

std::size_t size(int n) {
    return static_cast<std::size_t>(n);
}

[[noreturn]] void give_up(const std::string& what) {
    std::fprintf(stderr, "reference model: %s\n", what.c_str());
    std::abort();
}

// The meaning of bytes, written from the formats' description once more.

double half(const std::uint8_t* p) {
    const unsigned bits = p[0] | static_cast<unsigned>(p[1]) << 8;
    const double sign = (bits & 0x8000U) != 0 ? -1 : 1;
    const int exponent = static_cast<int>(bits >> 10 & 31U);
    const double fraction = static_cast<double>(bits & 1023U) / 1024;
    return exponent == 0 ? sign * std::ldexp(fraction, -14)
                         : sign * std::ldexp(1 + fraction, exponent - 15);
}

void values_of_block(DType type, const std::uint8_t* p, double* out) {
    // Of the types that have one: before the codes, behind Q6_K's.
    const double d = type == DType::F32 || type == DType::BF16 ? 0
                     : type == DType::Q6_K                     ? half(p + 208)
                                                               : half(p);
    switch (type) {
        case DType::F32: {
            float value = 0;
            std::memcpy(&value, p, sizeof value);
            *out = static_cast<double>(value);
            return;
        }
        case DType::F16:
            *out = d;
            return;
        case DType::BF16: {
            float value = 0;
            const std::uint8_t bytes[4] = {0, 0, p[0], p[1]};
            std::memcpy(&value, bytes, sizeof value);
            *out = static_cast<double>(value);
            return;
        }
        case DType::Q8_0:
            for (std::size_t i = 0; i < 32; ++i) {
                out[i] = d * static_cast<std::int8_t>(p[2 + i]);
            }
            return;
        case DType::Q4_0:
            for (std::size_t i = 0; i < 16; ++i) {
                out[i] = d * ((p[2 + i] & 15) - 8);
                out[16 + i] = d * ((p[2 + i] >> 4) - 8);
            }
            return;
        case DType::Q5_0:  // half, 32 fifth bits, 32 nibbles
            for (std::size_t i = 0; i < 32; ++i) {
                const int low = i < 16 ? p[6 + i] & 15 : p[6 + i - 16] >> 4;
                const int fifth = p[2 + i / 8] >> (i % 8) & 1;
                out[i] = d * (low + 16 * fifth - 16);
            }
            return;
        case DType::Q6_K:  // 128 bytes of low nibbles, 64 of high pairs, 16 scales, half
            for (std::size_t i = 0; i < 256; ++i) {
                const std::size_t h = i / 128;
                const std::size_t quarter = i % 128 / 32;
                const std::size_t l = i % 32;
                const int nibbles = p[64 * h + 32 * (quarter % 2) + l];
                const int low = quarter < 2 ? nibbles & 15 : nibbles >> 4;
                const int high = p[128 + 32 * h + l] >> (2 * quarter) & 3;
                const int scale = static_cast<std::int8_t>(p[192 + i / 16]);
                out[i] = d * scale * (low + 16 * high - 32);
            }
            return;
        default: {  // as the engine decodes it, which encoding_test compares with the specification
            if (!is_computable(type)) {
                give_up("type " + std::string(dtype_info(type).name));
            }
            std::array<float, 256> values;
            const std::size_t n = dtype_info(type).block_values;
            dequantize_row(type, reinterpret_cast<const std::byte*>(p), std::span(values).first(n));
            std::copy_n(values.begin(), n, out);
        }
    }
}

// A tensor's rows, read and made numbers one at a time. One thread's.
class Rows {
public:
    // memory: the whole file; empty: read from where it was opened.
    Rows(const GgufFile& file, const Bytes& memory, const TensorInfo& tensor)
        : file_(file), memory_(memory), tensor_(tensor), values_(tensor.cols()) {
        const DTypeInfo& info = dtype_info(tensor.type);
        bytes_.resize(tensor.cols() / info.block_values * info.block_bytes);
    }
    const std::vector<double>& at(std::size_t row) {
        const std::uint64_t place = tensor_.offset + row * bytes_.size();
        if (!memory_.empty()) {
            std::memcpy(bytes_.data(), memory_.data() + place, bytes_.size());
        } else if (!file_.file().read_at(place, bytes_)) {
            give_up(tensor_.name + ": cannot be read");
        }
        const DTypeInfo& info = dtype_info(tensor_.type);
        const auto* p = reinterpret_cast<const std::uint8_t*>(bytes_.data());
        for (std::size_t i = 0; i < values_.size(); i += info.block_values) {
            values_of_block(tensor_.type, p, &values_[i]);
            p += info.block_bytes;
        }
        return values_;
    }

private:
    const GgufFile& file_;
    const Bytes& memory_;
    const TensorInfo& tensor_;
    std::vector<std::byte> bytes_;
    std::vector<double> values_;
};

class Run {
public:
    Run(const GgufFile& file, const Bytes& memory, const TestFamily& family, int threads)
        : file_(file), memory_(memory), family_(family), threads_(std::max(1, threads)) {}

    // By the usual names.
    const TensorInfo* find(const std::string& name) const {
        return file_.tensors().find(family_.name_of(name));
    }
    const TensorInfo& tensor(const std::string& name) const {
        const TensorInfo* found = find(name);
        if (found == nullptr) {
            give_up(name + ": no such tensor");
        }
        return *found;
    }

    // y[t, r] = sum over c of w[r, c] * x[t, c], and the bias where there is one.
    Matrix multiply(const std::string& name, const Matrix& x) const {
        const TensorInfo& w = tensor(name + ".weight");
        const std::size_t cols = w.cols();
        const std::size_t rows = w.rows();
        const std::size_t n_tokens = x.size() / cols;
        Matrix y(n_tokens * rows);
        share(rows, [&](std::size_t begin, std::size_t end, std::size_t) {
            Rows reader(file_, memory_, w);
            for (std::size_t r = begin; r < end; ++r) {
                const std::vector<double>& row = reader.at(r);
                for (std::size_t t = 0; t < n_tokens; ++t) {
                    y[t * rows + r] = dot(row.data(), &x[t * cols], cols);
                }
            }
        });
        add_bias(name + ".bias", y);
        return y;
    }

    // y[r] = sum over c of w[first + r, c] * x[c] for r < count: of one token.
    Matrix multiply_some(const std::string& name, std::size_t first, std::size_t count,
                         const double* x) const {
        const TensorInfo& w = tensor(name + ".weight");
        Matrix y(count);
        Rows reader(file_, memory_, w);
        for (std::size_t r = 0; r < count; ++r) {
            y[r] = dot(reader.at(first + r).data(), x, w.cols());
        }
        return y;
    }

    // y[t, c] = sum over r of x[t, r] * w[r, c]: by neuron.
    Matrix multiply_transposed(const std::string& name, const Matrix& x) const {
        const TensorInfo& w = tensor(name + ".weight");
        const std::size_t cols = w.cols();
        const std::size_t rows = w.rows();
        const std::size_t n_tokens = x.size() / rows;
        std::vector<Matrix> parts(size(threads_), Matrix(n_tokens * cols));
        share(rows, [&](std::size_t begin, std::size_t end, std::size_t part) {
            Rows reader(file_, memory_, w);
            for (std::size_t r = begin; r < end; ++r) {
                const std::vector<double>& row = reader.at(r);
                for (std::size_t t = 0; t < n_tokens; ++t) {
                    const double factor = x[t * rows + r];
                    for (std::size_t c = 0; factor != 0 && c < cols; ++c) {
                        parts[part][t * cols + c] += factor * row[c];
                    }
                }
            }
        });
        for (std::size_t part = 1; part < parts.size(); ++part) {
            add(parts[0], parts[part]);
        }
        add_bias(name + ".bias", parts[0]);
        return std::move(parts[0]);
    }

    std::vector<double> row(const std::string& name, std::size_t index) const {
        return Rows(file_, memory_, tensor(name)).at(index);
    }

    static void add(Matrix& y, const Matrix& x) {
        for (std::size_t i = 0; i < y.size(); ++i) {
            y[i] += x[i];
        }
    }

    Matrix norm(const std::string& name, const Matrix& x, std::size_t n_embd, double eps,
                const char* ending = ".weight") const {
        // Heads are normed without their mean in no family.
        const bool layer_norm = family_.layer_norm &&
                                name.find("attn_q_norm") == std::string::npos &&
                                name.find("attn_k_norm") == std::string::npos;
        const std::vector<double> weight = row(name + ending, 0);
        Matrix y(x.size());
        for (std::size_t t = 0; t < x.size(); t += n_embd) {
            double mean = 0;
            for (std::size_t i = 0; layer_norm && i < n_embd; ++i) {
                mean += x[t + i] / static_cast<double>(n_embd);
            }
            double squares = 0;
            for (std::size_t i = 0; i < n_embd; ++i) {
                squares += (x[t + i] - mean) * (x[t + i] - mean);
            }
            const double scale = 1 / std::sqrt(squares / static_cast<double>(n_embd) + eps);
            for (std::size_t i = 0; i < n_embd; ++i) {
                y[t + i] = (x[t + i] - mean) * scale * weight[i];
            }
        }
        add_bias(name + ".bias", y);
        return y;
    }

private:
    static double dot(const double* a, const double* b, std::size_t n) {
        double sums[4] = {};
        std::size_t i = 0;
        for (; i + 4 <= n; i += 4) {
            for (std::size_t k = 0; k < 4; ++k) {
                sums[k] += a[i + k] * b[i + k];
            }
        }
        for (; i < n; ++i) {
            sums[0] += a[i] * b[i];
        }
        return sums[0] + sums[1] + sums[2] + sums[3];
    }

    void add_bias(const std::string& name, Matrix& y) const {
        if (find(name) != nullptr) {
            const std::vector<double> bias = row(name, 0);
            for (std::size_t i = 0; i < y.size(); ++i) {
                y[i] += bias[i % bias.size()];
            }
        }
    }

    template <class Body>
    void share(std::size_t rows, const Body& body) const {
        const std::size_t parts = size(threads_);
        std::vector<std::thread> threads;
        for (std::size_t part = 1; part < parts; ++part) {
            threads.emplace_back(
                [&, part] { body(rows * part / parts, rows * (part + 1) / parts, part); });
        }
        body(0, rows / parts, 0);
        for (std::thread& thread : threads) {
            thread.join();
        }
    }

    const GgufFile& file_;
    const Bytes& memory_;
    const TestFamily& family_;
    int threads_;
};

double gelu(double x) {
    return 0.5 * x *
           (1 + std::tanh(std::sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
}

// By the names of hearth.activation.
double activated(const std::string& kind, double threshold, double gate, double up) {
    const double open_up = std::max(up, 0.0);
    if (kind == "gelu") {
        return gelu(up);
    }
    if (kind == "geglu") {
        return gelu(gate) * up;
    }
    if (kind == "relu" || kind == "relu2") {
        return kind == "relu" ? open_up : open_up * open_up;
    }
    if (kind == "drelu") {
        return std::max(gate, 0.0) * open_up;
    }
    if (kind == "reglu") {
        return gate > threshold ? gate * up : 0.0;
    }
    if (kind == "swiglu-oai") {
        const double x = std::min(gate, 7.0);
        return x / (1 + std::exp(-1.702 * x)) * (std::clamp(up, -7.0, 7.0) + 1);
    }
    return gate / (1 + std::exp(-gate)) * up;
}

double sigmoid(double x) {
    return 1 / (1 + std::exp(-x));
}

// The weights of a token's experts; of others 0. scores: the router's products.
std::vector<double> expert_weights(const TestFamily& family, std::vector<double> scores,
                                   const std::vector<double>& bias) {
    const std::size_t n = scores.size();
    const double largest = *std::max_element(scores.begin(), scores.end());
    double total = 0;
    for (double& score : scores) {
        score = family.router == "sigmoid" ? sigmoid(score) : std::exp(score - largest);
        total += score;
    }
    for (double& score : scores) {
        score /= family.router == "softmax" ? total : 1;
    }
    std::vector<double> chosen_by = scores;
    for (std::size_t i = 0; i < bias.size(); ++i) {
        chosen_by[i] += bias[i];
    }
    const std::size_t group = n / size(family.n_expert_groups);
    std::vector<std::pair<double, std::size_t>> groups;
    for (std::size_t first = 0; first < n; first += group) {
        std::vector<double> own(chosen_by.begin() + static_cast<std::ptrdiff_t>(first),
                                chosen_by.begin() + static_cast<std::ptrdiff_t>(first + group));
        std::sort(own.rbegin(), own.rend());
        const bool of_two = group > 1 && family.router != "softmax";
        groups.emplace_back(-own[0] - (of_two ? own[1] : 0), first / group);
    }
    std::sort(groups.begin(), groups.end());
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t rank = 0; rank < size(family.n_used_groups); ++rank) {
        for (std::size_t i = groups[rank].second * group; i < (groups[rank].second + 1) * group;
             ++i) {
            order.emplace_back(-chosen_by[i], i);
        }
    }
    std::sort(order.begin(), order.end());
    order.resize(size(family.n_used_experts));
    std::vector<double> weights(n);
    double sum = 0;
    for (const auto& [unused, expert] : order) {
        weights[expert] = scores[expert];
        sum += scores[expert];
    }
    for (double& weight : weights) {
        weight *= family.weight_scale / (family.normed_weights ? sum : 1);
    }
    return weights;
}

// A gated block whose matrices' names end in `ending`.
Matrix dense_block(const Run& run, const TestFamily& family, const std::string& p,
                   const std::string& ending, const Matrix& normed) {
    Matrix hidden = run.multiply(p + "ffn_up" + ending, normed);
    const Matrix gate = family.gated ? run.multiply(p + "ffn_gate" + ending, normed) : hidden;
    for (std::size_t i = 0; i < hidden.size(); ++i) {
        hidden[i] = activated(family.dense, 0, gate[i], hidden[i]);
    }
    return run.multiply(p + "ffn_down" + ending, hidden);
}

// A mixture, token by token. routed: what the router reads, before its matrix.
Matrix mixture(const Run& run, const TestFamily& family, const std::string& p, const Matrix& routed,
               const Matrix& normed) {
    const std::size_t n_embd = run.tensor(p + "ffn_gate_inp.weight").cols();
    const std::size_t n_ff = run.tensor(p + "ffn_down_exps.weight").cols();
    const Matrix products = run.multiply(p + "ffn_gate_inp", routed);
    const std::size_t n = products.size() * n_embd / normed.size();
    const bool biased = run.find(p + "exp_probs_b.bias") != nullptr;
    const std::vector<double> bias =
        biased ? run.row(p + "exp_probs_b.bias", 0) : std::vector<double>{};
    const bool scaled = run.find(p + "ffn_down_exps.scale") != nullptr;
    const std::vector<double> scales =
        scaled ? run.row(p + "ffn_down_exps.scale", 0) : std::vector<double>(n, 1.0);
    const bool shared = run.find(p + "ffn_up_shexp.weight") != nullptr;
    const bool fused = run.find(p + "ffn_gate_up_exps.weight") != nullptr;
    const bool latent = run.find(p + "ffn_latent_down.weight") != nullptr;
    const Matrix inputs = latent ? run.multiply(p + "ffn_latent_down", normed) : normed;
    const std::size_t width = inputs.size() * n_embd / normed.size();
    Matrix y(inputs.size());
    for (std::size_t t = 0; t < normed.size() / n_embd; ++t) {
        const double* x = &inputs[t * width];
        const std::vector<double> weights =
            expert_weights(family, {&products[t * n], &products[t * n] + n}, bias);
        for (std::size_t expert = 0; expert < n; ++expert) {
            if (weights[expert] == 0) {
                continue;
            }
            Matrix weighed(x, x + width);
            for (std::size_t i = 0; i < width && family.weighs_inputs; ++i) {
                weighed[i] *= weights[expert];
            }
            const auto with_bias = [&](const char* name, Matrix values) {
                if (run.find(p + name + ".bias") != nullptr) {
                    Run::add(values, run.row(p + name + ".bias", expert));
                }
                return values;
            };
            // An expert's gates stand before its ups.
            const auto of_expert = [&](const char* name, std::size_t half) {
                const double* read = weighed.data();
                return fused ? run.multiply_some(p + "ffn_gate_up_exps", (2 * expert + half) * n_ff,
                                                 n_ff, read)
                             : with_bias(name,
                                         run.multiply_some(p + name, expert * n_ff, n_ff, read));
            };
            Matrix hidden = of_expert("ffn_up_exps", 1);
            const Matrix gate = family.gated ? of_expert("ffn_gate_exps", 0) : hidden;
            for (std::size_t i = 0; i < n_ff; ++i) {
                hidden[i] = activated(family.dense, 0, gate[i], hidden[i]);
            }
            const Matrix out = with_bias(
                "ffn_down_exps",
                run.multiply_some(p + "ffn_down_exps", expert * width, width, hidden.data()));
            for (std::size_t i = 0; i < width; ++i) {
                const double weight = family.weighs_inputs ? 1 : weights[expert];
                y[t * width + i] += weight * scales[expert] * out[i];
            }
        }
    }
    if (latent) {
        y = run.multiply(p + "ffn_latent_up", y);
    }
    if (shared) {
        Matrix out = dense_block(run, family, p, "_shexp", normed);
        const bool weighted = run.find(p + "ffn_gate_inp_shexp.weight") != nullptr;
        const Matrix weights = weighted ? run.multiply(p + "ffn_gate_inp_shexp", normed) : Matrix{};
        for (std::size_t i = 0; i < out.size() && weighted; ++i) {
            out[i] *= sigmoid(weights[i / n_embd]);
        }
        Run::add(y, out);
    }
    return y;
}

// Leaves the queries of heads of `dim` in q and returns the gates behind them.
Matrix part_gates(Matrix& q, std::size_t dim) {
    Matrix queries;
    Matrix gates;
    for (std::size_t at = 0; at < q.size(); at += dim) {
        Matrix& part = at / dim % 2 == 0 ? queries : gates;
        part.insert(part.end(), q.begin() + static_cast<std::ptrdiff_t>(at),
                    q.begin() + static_cast<std::ptrdiff_t>(at + dim));
    }
    q = std::move(queries);
    return gates;
}

// Products of a tensor that has, key head by key head, `counts` rows of as many parts. A matrix a
// part, of all heads.
std::vector<Matrix> part_key_heads(const Matrix& products, const std::vector<std::size_t>& counts) {
    std::vector<Matrix> parts(counts.size());
    for (std::size_t at = 0; at < products.size();) {
        for (std::size_t part = 0; part < counts.size(); at += counts[part++]) {
            for (std::size_t i = 0; i < counts[part]; ++i) {
                parts[part].push_back(products[at + i]);
            }
        }
    }
    return parts;
}

// A gated delta net's values of each token.
struct DeltaInputs {
    Matrix channels, gate, beta, alpha;
};

// n_value heads share n_key ones.
DeltaInputs delta_inputs(const Run& run, const std::string& p, const Matrix& normed,
                         std::size_t n_key, std::size_t n_value, std::size_t dim) {
    const std::size_t group = n_value / n_key;
    DeltaInputs all;
    if (run.find(p + "ssm_in.weight") != nullptr) {
        const std::vector<Matrix> parts = part_key_heads(run.multiply(p + "ssm_in", normed),
                                                         {dim, dim, group * dim, group * dim});
        const std::size_t n_tokens = parts[0].size() / (n_key * dim);
        for (std::size_t t = 0; t < n_tokens; ++t) {
            for (std::size_t part = 0; part < 3; ++part) {
                const std::size_t width = parts[part].size() / n_tokens;
                all.channels.insert(
                    all.channels.end(),
                    parts[part].begin() + static_cast<std::ptrdiff_t>(t * width),
                    parts[part].begin() + static_cast<std::ptrdiff_t>((t + 1) * width));
            }
        }
        all.gate = parts[3];
    } else {
        all.channels = run.multiply(p + "attn_qkv", normed);
        all.gate = run.multiply(p + "attn_gate", normed);
    }
    if (run.find(p + "ssm_ba.weight") != nullptr) {
        std::vector<Matrix> parts =
            part_key_heads(run.multiply(p + "ssm_ba", normed), {group, group});
        all.beta = std::move(parts[0]);
        all.alpha = std::move(parts[1]);
    } else {
        all.beta = run.multiply(p + "ssm_beta", normed);
        all.alpha = run.multiply(p + "ssm_alpha", normed);
    }
    return all;
}

// A gated delta net, token by token, as its paper's recurrence has it.
Matrix delta_net(const Run& run, const TestFamily& family, const std::string& p,
                 const Matrix& normed, std::size_t n_key, std::size_t dim, double eps) {
    const bool neighbours_share = family.neighbours_share;
    const std::size_t n_value = run.tensor(p + "ssm_dt.bias").cols();
    const auto [input, gate, beta, alpha] = delta_inputs(run, p, normed, n_key, n_value, dim);
    const std::size_t channels = run.tensor(p + "ssm_conv1d.weight").rows();
    const std::size_t n_tokens = input.size() / channels;
    const std::size_t kernel = run.tensor(p + "ssm_conv1d.weight").cols();
    const std::vector<double> dt = run.row(p + "ssm_dt.bias", 0);
    const std::vector<double> a = run.row(p + "ssm_a", 0);
    Matrix mixed(input.size());
    for (std::size_t c = 0; c < channels; ++c) {
        const std::vector<double> taps = run.row(p + "ssm_conv1d.weight", c);
        for (std::size_t t = 0; t < n_tokens; ++t) {
            double sum = 0;
            for (std::size_t back = 0; back < kernel && back <= t; ++back) {
                sum += taps[kernel - 1 - back] * input[(t - back) * channels + c];
            }
            mixed[t * channels + c] = sum * sigmoid(sum);
        }
    }
    Matrix output(n_tokens * n_value * dim);
    for (std::size_t head = 0; head < n_value; ++head) {
        const std::size_t key_head = neighbours_share ? head * n_key / n_value : head % n_key;
        Matrix state(dim * dim);  // [key, value]
        for (std::size_t t = 0; t < n_tokens; ++t) {
            const auto unit = [&](std::size_t at) {
                std::vector<double> x(&mixed[t * channels + at], &mixed[t * channels + at] + dim);
                double squares = eps;
                for (const double value : x) {
                    squares += value * value;
                }
                for (double& value : x) {
                    value /= std::sqrt(squares);
                }
                return x;
            };
            const std::vector<double> q = unit(key_head * dim);
            const std::vector<double> k = unit((n_key + key_head) * dim);
            const double* v = &mixed[t * channels + (2 * n_key + head) * dim];
            const double write = sigmoid(beta[t * n_value + head]);
            const double keep =
                std::exp(a[head] * std::log1p(std::exp(alpha[t * n_value + head] + dt[head])));
            for (std::size_t j = 0; j < dim; ++j) {
                double known = 0;
                for (std::size_t i = 0; i < dim; ++i) {
                    state[i * dim + j] *= keep;
                    known += state[i * dim + j] * k[i];
                }
                double& out = output[(t * n_value + head) * dim + j];
                for (std::size_t i = 0; i < dim; ++i) {
                    state[i * dim + j] += k[i] * write * (v[j] - known);
                    out += state[i * dim + j] * q[i] / std::sqrt(static_cast<double>(dim));
                }
            }
        }
    }
    output = run.norm(p + "ssm_norm", output, dim, eps);
    for (std::size_t i = 0; i < output.size(); ++i) {
        output[i] *= (family.sigmoid_gates ? 1 : gate[i]) * sigmoid(gate[i]);
    }
    return run.multiply(p + "ssm_out", output);
}

// The RMS norm of each run of `width` values, by the weights of as many runs as there are.
Matrix norm_runs(const Run& run, const std::string& name, const Matrix& x, std::size_t width,
                 double eps) {
    const TensorInfo& tensor = run.tensor(name + ".weight");
    std::vector<double> weights;
    for (std::size_t r = 0; r < tensor.rows(); ++r) {
        const std::vector<double> row = run.row(name + ".weight", r);
        weights.insert(weights.end(), row.begin(), row.end());
    }
    Matrix y(x.size());
    for (std::size_t at = 0; at < x.size(); at += width) {
        double squares = 0;
        for (std::size_t i = 0; i < width; ++i) {
            squares += x[at + i] * x[at + i];
        }
        const double root = std::sqrt(squares / static_cast<double>(width) + eps);
        for (std::size_t i = 0; i < width; ++i) {
            y[at + i] = x[at + i] / root * weights[(at + i) % weights.size()];
        }
    }
    return y;
}

// The mix of several streams of `width` values that a block reads; `name` with "_norm" and so on
// are the tensors. shares: what each stream takes of the block's output, [n_tokens, n_streams];
// null: there is no such.
Matrix mix_streams(const Run& run, const std::string& name, const Matrix& x, std::size_t width,
                   double eps, Matrix* shares) {
    const Matrix normed = norm_runs(run, name + "_norm", x, width, eps);
    const std::size_t n_streams = run.tensor(name + "_up.weight").rows() / width;
    const double n = static_cast<double>(n_streams);
    Matrix low = run.multiply(name + "_down", normed);
    for (double& value : low) {
        value = value / n * sigmoid(value / n);
    }
    const Matrix gate = run.multiply(name + "_up", low);
    Matrix mixed(x.size() / n_streams);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t token = i / (n_streams * width);
        mixed[token * width + i % width] += sigmoid(gate[i]) * normed[i] / n;
    }
    if (shares != nullptr) {
        *shares = run.multiply(name + "_inject", normed);
        for (double& share : *shares) {
            share = 2 * sigmoid(share / n);
        }
    }
    return mixed;
}

// The keys of a table that n-grams choose rows of.
struct NgramKeys {
    std::size_t size, heads;
    std::uint64_t end;
    std::vector<std::uint64_t> multipliers, offsets, counts;
};

NgramKeys ngram_keys(const GgufFile& file, const std::string& arch) {
    const auto number = [&](const char* key) {
        return *file.metadata().integer(arch + "." + key, 0, 1 << 30);
    };
    const auto numbers = [&](const char* key) {
        return (*file.metadata().array(arch + "." + key, MetadataType::U64))->unsigned_values;
    };
    return {static_cast<std::size_t>(number("ple.ngram_size")),
            static_cast<std::size_t>(number("ple.heads_per_ngram")),
            static_cast<std::uint64_t>(number("ple.eos_token_id")),
            numbers("ple.layer_multipliers"),
            numbers("ple.head_offsets"),
            numbers("ple.head_vocab_sizes")};
}

// The table's part of the streams, of all tokens.
Matrix ngrams(const Run& run, const NgramKeys& keys, const std::string& p, const Matrix& x,
              const std::vector<std::int32_t>& tokens, std::size_t n_embd, double eps) {
    Matrix rows;
    for (std::size_t t = 0; t < tokens.size(); ++t) {
        for (std::size_t head = 0; head < keys.counts.size(); ++head) {
            std::uint64_t hash = 0;
            bool before_text = false;  // or behind the end of another one
            for (std::size_t back = 0; back < 2 + head / keys.heads; ++back) {
                before_text =
                    before_text || back > t ||
                    (back > 0 && static_cast<std::uint64_t>(tokens[t - back]) == keys.end);
                const std::uint64_t token =
                    before_text ? keys.end : static_cast<std::uint64_t>(tokens[t - back]);
                hash ^= token * keys.multipliers[back];
            }
            const std::uint64_t place = keys.offsets[head] + hash % keys.counts[head];
            const std::vector<double> row = run.row("per_layer_token_embd.weight", place);
            rows.insert(rows.end(), row.begin(), row.end());
        }
    }
    const Matrix value = run.multiply(p + "ple_value", rows);
    const Matrix key =
        norm_runs(run, p + "ple_norm_key", run.multiply(p + "ple_key", rows), n_embd, eps);
    const Matrix query = norm_runs(run, p + "ple_norm_query", x, n_embd, eps);
    const std::size_t width = x.size() / tokens.size();
    Matrix added(x.size());
    for (std::size_t at = 0; at < x.size(); at += n_embd) {
        double product = 0;
        for (std::size_t i = 0; i < n_embd; ++i) {
            product += key[at + i] * query[at + i] / std::sqrt(static_cast<double>(n_embd));
        }
        const double root = std::sqrt(std::max(std::abs(product), 1e-6));
        const double gate = sigmoid(product < 0 ? -root : root);
        for (std::size_t i = 0; i < n_embd; ++i) {
            added[at + i] = gate * value[at / width * n_embd + i];
        }
    }
    const Matrix inputs = norm_runs(run, p + "ple_norm_conv", added, n_embd, eps);
    const std::size_t taps = run.tensor(p + "ple_conv1d.weight").cols();
    for (std::size_t c = 0; c < width; ++c) {
        const std::vector<double> kernel = run.row(p + "ple_conv1d.weight", c);
        for (std::size_t t = 0; t < tokens.size(); ++t) {
            double sum = 0;
            for (std::size_t back = 0; back < taps && back * keys.size <= t; ++back) {
                sum += kernel[taps - 1 - back] * inputs[(t - back * keys.size) * width + c];
            }
            added[t * width + c] += sum * sigmoid(sum);
        }
    }
    return added;
}

// The positions that each token's attention sees, [n_tokens][n_tokens]. q: rotated, [n_tokens,
// heads of dim]; k: [n_tokens, dim] not rotated; key_of: makes the key of a block of its mean and
// its first position.
std::vector<std::vector<bool>> chosen_positions(
    const Matrix& q, const Matrix& k, std::size_t dim, std::size_t block, std::size_t budget,
    const std::function<Matrix(Matrix, std::size_t)>& key_of) {
    const std::size_t n_tokens = k.size() / dim;
    std::vector<Matrix> keys;
    for (std::size_t first = 0; first + block <= n_tokens; first += block) {
        Matrix mean(dim);
        for (std::size_t i = 0; i < block * dim; ++i) {
            mean[i % dim] += k[first * dim + i] / static_cast<double>(block);
        }
        keys.push_back(key_of(mean, first));
    }
    std::vector<std::vector<bool>> sees(n_tokens, std::vector<bool>(n_tokens));
    for (std::size_t t = 0; t < n_tokens; ++t) {
        const std::size_t n_blocks = (t + 1) / block;
        std::vector<std::pair<double, std::size_t>> order;
        for (std::size_t b = 0; b < n_blocks; ++b) {
            double score = 0;
            for (std::size_t head = 0; head < q.size() / n_tokens; head += dim) {
                double product = 0;
                for (std::size_t c = 0; c < dim; ++c) {
                    product += q[t * (q.size() / n_tokens) + head + c] * keys[b][c];
                }
                score += std::max(product, 0.0);
            }
            order.emplace_back(-score, b);
        }
        std::sort(order.begin(), order.end());
        order.resize(std::min(order.size(), budget / block));
        for (const auto& [unused, b] : order) {
            std::fill_n(sees[t].begin() + static_cast<std::ptrdiff_t>(b * block), block, true);
        }
        for (std::size_t i = n_blocks * block; i <= t; ++i) {
            sees[t][i] = true;
        }
    }
    return sees;
}

// A gated short convolution: c * conv(b * x), and the matrices around it.
Matrix gated_conv(const Run& run, const std::string& p, const Matrix& normed) {
    const Matrix input = run.multiply(p + "shortconv.in_proj", normed);
    const std::size_t width = run.tensor(p + "shortconv.conv.weight").rows();
    const std::size_t kernel = run.tensor(p + "shortconv.conv.weight").cols();
    const std::size_t n_tokens = input.size() / (3 * width);
    Matrix output(n_tokens * width);
    for (std::size_t c = 0; c < width; ++c) {
        const std::vector<double> taps = run.row(p + "shortconv.conv.weight", c);
        for (std::size_t t = 0; t < n_tokens; ++t) {
            double sum = 0;
            for (std::size_t back = 0; back < kernel && back <= t; ++back) {
                const double* token = &input[(t - back) * 3 * width];
                sum += taps[kernel - 1 - back] * token[c] * token[2 * width + c];
            }
            output[t * width + c] = sum * input[t * 3 * width + width + c];
        }
    }
    return run.multiply(p + "shortconv.out_proj", output);
}

// A layer of Mamba-2, token by token. groups: of B and C. [z | x | B | C | dt] is its input.
Matrix mamba(const Run& run, const std::string& p, const Matrix& normed, std::size_t groups,
             std::size_t n_state, double eps) {
    const Matrix input = run.multiply(p + "ssm_in", normed);
    const std::size_t channels = run.tensor(p + "ssm_conv1d.weight").rows();
    const std::size_t kernel = run.tensor(p + "ssm_conv1d.weight").cols();
    const std::size_t values = run.tensor(p + "ssm_out.weight").cols();
    const std::size_t stride = run.tensor(p + "ssm_in.weight").rows();
    const std::size_t heads = stride - values - channels;
    const std::size_t n_tokens = input.size() / stride;
    const std::size_t dim = values / heads;
    const std::vector<double> bias = run.row(p + "ssm_conv1d.bias", 0);
    const std::vector<double> dt_bias = run.row(p + "ssm_dt.bias", 0);
    Matrix mixed(n_tokens * channels);
    for (std::size_t c = 0; c < channels; ++c) {
        const std::vector<double> taps = run.row(p + "ssm_conv1d.weight", c);
        for (std::size_t t = 0; t < n_tokens; ++t) {
            double sum = bias[c];
            for (std::size_t back = 0; back < kernel && back <= t; ++back) {
                sum += taps[kernel - 1 - back] * input[(t - back) * stride + values + c];
            }
            mixed[t * channels + c] = sum * sigmoid(sum);
        }
    }
    Matrix output(n_tokens * values);
    for (std::size_t head = 0; head < heads; ++head) {
        const double a = run.row(p + "ssm_a", head)[0];
        const double skip = run.row(p + "ssm_d", head)[0];
        const std::size_t group = head * groups / heads;
        Matrix state(n_state * dim);
        for (std::size_t t = 0; t < n_tokens; ++t) {
            const double* x = &mixed[t * channels + head * dim];
            const double* b = &mixed[t * channels + values + group * n_state];
            const double* c = b + groups * n_state;
            const double dt =
                std::log1p(std::exp(input[t * stride + values + channels + head] + dt_bias[head]));
            for (std::size_t j = 0; j < dim; ++j) {
                double sum = skip * x[j];
                for (std::size_t i = 0; i < n_state; ++i) {
                    double& s = state[i * dim + j];
                    s = s * std::exp(a * dt) + b[i] * dt * x[j];
                    sum += c[i] * s;
                }
                const double z = input[t * stride + head * dim + j];
                output[t * values + head * dim + j] = sum * z * sigmoid(z);
            }
        }
    }
    const std::size_t width = values / groups;
    for (std::size_t at = 0; at < output.size(); at += width) {
        const std::vector<double> weight = run.row(p + "ssm_norm.weight", at / width % groups);
        double squares = 0;
        for (std::size_t i = 0; i < width; ++i) {
            squares += output[at + i] * output[at + i];
        }
        for (std::size_t i = 0; i < width; ++i) {
            output[at + i] *= weight[i] / std::sqrt(squares / static_cast<double>(width) + eps);
        }
    }
    return run.multiply(p + "ssm_out", output);
}

// Latent attention as it is before anything is absorbed: a key and a value for each head of each
// token. rotate(x, width): of each token's `width` values, heads of as many as are rotated.
Matrix latent_attention(const Run& run, const TestFamily& family, const std::string& p,
                        const Matrix& normed, double eps, double growth,
                        const std::function<void(Matrix&, std::size_t)>& rotate) {
    const std::size_t rank = size(family.latent_rank);
    const std::size_t plain = size(family.latent_plain);
    const std::size_t rotated = size(family.latent_rotated);
    const std::size_t values = size(family.latent_values);
    const std::size_t n_head = run.tensor(p + "attn_output.weight").cols() / values;
    const bool low = run.find(p + "attn_q_a.weight") != nullptr;
    const Matrix q =
        low ? run.multiply(p + "attn_q_b",
                           run.norm(p + "attn_q_a_norm", run.multiply(p + "attn_q_a", normed),
                                    size(family.latent_query_rank), eps))
            : run.multiply(p + "attn_q", normed);
    const Matrix both = run.multiply(p + "attn_kv_a_mqa", normed);
    const std::size_t n_tokens = both.size() / (rank + rotated);
    const std::size_t n_q = n_head * (plain + rotated);
    Matrix latent;
    Matrix key_turn;
    Matrix query_turn;
    for (std::size_t t = 0; t < n_tokens; ++t) {
        const double* row = &both[t * (rank + rotated)];
        latent.insert(latent.end(), row, row + rank);
        key_turn.insert(key_turn.end(), row + rank, row + rank + rotated);
        for (std::size_t head = 0; head < n_head; ++head) {
            const double* query = &q[t * n_q + head * (plain + rotated) + plain];
            query_turn.insert(query_turn.end(), query, query + rotated);
        }
    }
    latent = run.norm(p + "attn_kv_a_norm", latent, rank, eps);
    rotate(key_turn, rotated);
    rotate(query_turn, n_head * rotated);
    // [n_tokens, n_head, plain] and [n_tokens, n_head, values]
    Matrix keys(n_tokens * n_head * plain);
    Matrix made(n_tokens * n_head * values);
    if (run.find(p + "attn_kv_b.weight") != nullptr) {
        const Matrix kv = run.multiply(p + "attn_kv_b", latent);
        for (std::size_t i = 0; i < n_tokens * n_head; ++i) {
            const double* head = &kv[i * (plain + values)];
            std::copy_n(head, plain, &keys[i * plain]);
            std::copy_n(head + plain, values, &made[i * values]);
        }
    } else {
        made = run.multiply(p + "attn_v_b", latent);
        for (std::size_t head = 0; head < n_head; ++head) {
            for (std::size_t r = 0; r < rank; ++r) {
                const std::vector<double> row = run.row(p + "attn_k_b.weight", head * rank + r);
                for (std::size_t t = 0; t < n_tokens; ++t) {
                    for (std::size_t c = 0; c < plain; ++c) {
                        keys[(t * n_head + head) * plain + c] += row[c] * latent[t * rank + r];
                    }
                }
            }
        }
    }
    const double scale = growth * growth / std::sqrt(static_cast<double>(plain + rotated));
    Matrix y(n_tokens * n_head * values);
    for (std::size_t t = 0; t < n_tokens; ++t) {
        for (std::size_t head = 0; head < n_head; ++head) {
            std::vector<double> weight(t + 1);
            double total = 0;
            for (std::size_t past = 0; past <= t; ++past) {
                double score = 0;
                for (std::size_t c = 0; c < plain; ++c) {
                    score += q[t * n_q + head * (plain + rotated) + c] *
                             keys[(past * n_head + head) * plain + c];
                }
                for (std::size_t c = 0; c < rotated; ++c) {
                    score += query_turn[(t * n_head + head) * rotated + c] *
                             key_turn[past * rotated + c];
                }
                weight[past] = std::exp(score * scale);
                total += weight[past];
            }
            for (std::size_t past = 0; past <= t; ++past) {
                for (std::size_t c = 0; c < values; ++c) {
                    y[(t * n_head + head) * values + c] +=
                        weight[past] / total * made[(past * n_head + head) * values + c];
                }
            }
        }
    }
    return run.multiply(p + "attn_output", y);
}

}  // namespace

std::optional<ReferenceModel> ReferenceModel::open(const std::string& path) {
    auto file = GgufFile::open(path);
    return file ? make(*std::move(file), {}) : std::nullopt;
}

std::optional<ReferenceModel> ReferenceModel::parse(Bytes bytes) {
    auto file = GgufFile::parse(bytes, "memory");
    return file ? make(*std::move(file), std::move(bytes)) : std::nullopt;
}

std::optional<ReferenceModel> ReferenceModel::make(GgufFile file, Bytes bytes) {
    ReferenceModel model(std::move(file), std::move(bytes));
    const Metadata& keys = model.file_.metadata();
    const auto arch = keys.string("general.architecture");
    if (!arch || !has_test_family(*arch)) {
        return {};
    }
    model.family_ = test_family(*arch);
    const auto integer = [&](const std::string& key, int otherwise) {
        const auto value = keys.integer(*arch + "." + key, 0, 1 << 30);
        return value ? static_cast<int>(*value) : otherwise;
    };
    const auto number = [&](const std::string& key, double otherwise) {
        const auto value = keys.number(key);
        return value ? *value : otherwise;
    };
    model.family_.n_experts = integer("expert_count", 0);
    model.family_.n_used_experts = integer("expert_used_count", 0);
    model.n_layer_ = integer("block_count", 0) - integer("nextn_predict_layers", 0);
    model.n_key_heads_ = integer("ssm.group_count", 0);
    if (const auto ratios = keys.array(*arch + ".attention.compress_ratios", MetadataType::I32)) {
        for (const std::int64_t ratio : (*ratios)->signed_values) {
            model.choice_block_ = std::max(model.choice_block_, static_cast<int>(ratio));
        }
        model.choice_budget_ = integer("attention.indexer.top_k", 0);
    }
    model.delta_dim_ = integer("ssm.state_size", 0);
    model.n_embd_ = integer("embedding_length", 0);
    const int n_head = integer("attention.head_count", 1);
    model.head_dim_ =
        integer(model.family_.latent_rank > 0 ? "rope.dimension_count" : "attention.key_length",
                model.n_embd_ / n_head);
    model.eps_ = number(*arch + (model.family_.layer_norm ? ".attention.layer_norm_epsilon"
                                                          : ".attention.layer_norm_rms_epsilon"),
                        1e-5);
    model.rope_base_ = number(*arch + ".rope.freq_base", 10000);
    model.rope_dim_ = integer("rope.dimension_count", model.head_dim_);
    model.family_.latent_rotated = model.rope_dim_;
    model.family_.latent_values =
        integer("attention.value_length_mla", integer("attention.value_length", 0));
    if (const auto activation = keys.string("hearth.activation")) {
        model.activation_ = *activation;
        model.family_.dense = *activation;
    }
    model.relu_threshold_ = number("hearth.activation.threshold", 0);
    model.embedding_scale_ = model.family_.scaled_embedding ? std::sqrt(model.n_embd_)
                                                            : number("test.embedding_scale", 1);
    model.rope_linear_factor_ = number(*arch + ".rope.scaling.factor", 1);
    const auto scaling = keys.string(*arch + ".rope.scaling.type");
    model.yarn_context_ =
        scaling && *scaling == "yarn" ? integer("rope.scaling.original_context_length", 0) : 0;
    model.yarn_log_multiplier_ = number(*arch + ".rope.scaling.yarn_log_multiplier", 0);
    model.family_.window_head_dim =
        integer("attention.key_length_swa", model.family_.window_head_dim);
    if (model.family_.ngram_size == 0) {  // else it is the width of a row of n-grams
        model.family_.n_embd_layer =
            integer("embedding_length_per_layer_input", model.family_.n_embd_layer);
    }
    model.n_ctx_ = integer("context_length", 0);
    model.threshold_ = number("powerinfer.sparse_threshold", 0);
    const TensorInfo* embedding =
        model.file_.tensors().find(model.family_.name_of("token_embd.weight"));
    if (embedding == nullptr) {
        return {};
    }
    model.n_vocab_ = static_cast<int>(embedding->rows());
    return model;
}

std::vector<double> ReferenceModel::logits(
    const std::vector<std::int32_t>& tokens, const ReferenceOptions& options,
    const std::function<void(const ReferenceBlock&)>& observer) const {
    const Run run(file_, bytes_, family_, options.threads);
    const std::size_t n_embd = size(n_embd_);
    std::size_t dim = size(head_dim_);  // of the layer that is computed
    const std::size_t n_tokens = tokens.size();
    ReferenceLayer of;  // the layer that is computed
    const auto begin_layer = [&](int layer) {
        of = options.layers.empty()
                 ? ReferenceLayer{rope_base_, rope_linear_factor_, rope_dim_, eps_, relu_threshold_}
                 : options.layers[size(layer)];
        of.rope_dim = of.rope_dim > 0 ? of.rope_dim : rope_dim_;
    };
    struct {
        int window = 0;
        bool chunked = false;
        double temperature = 0;
        int temperature_length = 0;
        bool rotates = true;
        double rope_base = 0;
        bool factors = true;
    } of_family;
    const auto begin_family = [&](int layer) {
        const int pattern = family_.window_pattern;
        const int all = family_.first_sees_all ? 0 : pattern - 1;
        const bool windowed = pattern > 0 && layer % pattern != all;
        of_family.window = windowed ? family_.window : 0;
        of_family.chunked = family_.chunked;
        const bool tempered = !family_.temperature_of_others || !windowed;
        of_family.temperature = tempered ? family_.temperature : 0;
        of_family.temperature_length = family_.temperature_length;
        if (of.chunk > 0) {
            of_family.window = of.chunk;
            of_family.chunked = true;
        }
        if (of.temperature > 0) {
            of_family.temperature = of.temperature;
            of_family.temperature_length = of.temperature_length;
        }
        if (windowed && family_.window_head_dim > 0) {
            dim = size(family_.window_head_dim);
            of.rope_dim = family_.window_head_dim;
        } else {
            dim = size(head_dim_);
        }
        of_family.factors = !windowed || family_.window_head_dim == 0;
        of_family.rope_base = windowed ? family_.window_rope_base : 0;
        of_family.rotates = (windowed || !family_.window_rotates_alone) &&
                            (family_.unrotated_every == 0 ||
                             layer % family_.unrotated_every != family_.unrotated_every - 1);
    };
    // YaRN makes queries and keys longer, or all scores of latent attention larger.
    const bool grows = yarn_context_ > 0 && family_.latent_rank == 0;
    const double magnitude =
        family_.rope_magnitude * (grows ? 1 + 0.1 * std::log(rope_linear_factor_) : 1);
    const double growth =
        yarn_context_ > 0 ? 1 + yarn_log_multiplier_ * std::log(rope_linear_factor_) : 1;
    const bool halves = family_.halves;
    const bool by_neuron = run.find("blk.0.ffn_down_t.weight") != nullptr;
    const bool sparse = file_.container() == Container::Pwri ||
                        run.find("blk.0.fc1.weight") != nullptr ||
                        (by_neuron && !family_.dense_by_neuron);

    // shift: the position of the first row.
    const auto rotate_from = [&](Matrix& x, std::size_t width, std::size_t shift,
                                 std::size_t head_width) {
        if (!family_.rotates || !of_family.rotates) {
            return;
        }
        const std::size_t n_rows = x.size() / width;
        const std::size_t rotated = size(of.rope_dim);
        const bool longer = n_ctx_ > family_.longrope_context;
        const std::string factors = family_.longrope_context == 0 ? "rope_freqs.weight"
                                    : longer                      ? "rope_factors_long.weight"
                                                                  : "rope_factors_short.weight";
        for (std::size_t row = 0; row < n_rows; ++row) {
            const std::size_t t = shift + row;
            for (std::size_t head = 0; head < width; head += head_width) {
                for (std::size_t pair = 0; pair < rotated / 2; ++pair) {
                    const double own =
                        std::pow(of_family.rope_base > 0 ? of_family.rope_base : of.rope_base,
                                 -2 * static_cast<double>(pair) / static_cast<double>(rotated));
                    double angle = static_cast<double>(t) / of.rope_linear_factor * own;
                    if (yarn_context_ > 0) {
                        // Which pairs turn 32 times and once in the original context.
                        const auto turning = [&](double times) {
                            return static_cast<double>(rotated) / 2 *
                                   std::log(yarn_context_ / (times * 2 * 3.14159265358979323846)) /
                                   std::log(of.rope_base);
                        };
                        const double low = std::max(std::floor(turning(32)), 0.0);
                        const double high =
                            std::min(std::ceil(turning(1)), static_cast<double>(rotated) - 1);
                        const double kept =
                            1 -
                            std::clamp((static_cast<double>(pair) - low) / (high - low), 0.0, 1.0);
                        angle = angle * (1 - kept) + static_cast<double>(t) * own * kept;
                    }
                    if (of_family.factors && run.find(factors) != nullptr) {
                        angle /= run.row(factors, 0)[pair];
                    }
                    const std::size_t at = row * width + head;
                    double& a = x[at + (halves ? pair : 2 * pair)];
                    double& b = x[at + (halves ? pair + rotated / 2 : 2 * pair + 1)];
                    const double old = a * magnitude;
                    const double other = b * magnitude;
                    a = old * std::cos(angle) - other * std::sin(angle);
                    b = old * std::sin(angle) + other * std::cos(angle);
                }
            }
        }
    };
    const auto rotate = [&](Matrix& x, std::size_t width) { rotate_from(x, width, 0, dim); };
    std::vector<double> sinks;  // of the layer that is computed
    // The positions that each token sees in it; empty: all up to its own.
    std::vector<std::vector<bool>> sees;
    const auto choose_positions = [&](const std::string& p, const Matrix& input) {
        const std::string name = p + "indexer.";
        const std::size_t own = run.tensor(name + "k_norm.weight").cols();
        Matrix q =
            run.norm(name + "q_norm", run.multiply(name + "q_proj", input), own, of.norm_eps);
        rotate_from(q, q.size() / n_tokens, 0, own);
        sees = chosen_positions(q, run.multiply(name + "k_proj", input), own, size(choice_block_),
                                size(choice_budget_), [&](Matrix mean, std::size_t first) {
                                    mean = run.norm(name + "k_norm", mean, own, of.norm_eps);
                                    rotate_from(mean, own, first, own);
                                    return mean;
                                });
    };
    const auto attend = [&](const Matrix& q, const Matrix& k, const Matrix& v) {
        const std::size_t n_q = q.size() / n_tokens;
        const std::size_t n_kv = k.size() / n_tokens;
        Matrix y(n_tokens * n_q);
        for (std::size_t t = 0; t < n_tokens; ++t) {
            for (std::size_t head = 0; head < n_q / dim; ++head) {
                const std::size_t kv = head / (n_q / n_kv) * dim;
                std::vector<double> weight(t + 1);
                double total = 0;
                for (std::size_t past = 0; past <= t; ++past) {
                    double score = 0;
                    for (std::size_t c = 0; c < dim; ++c) {
                        score += q[t * n_q + head * dim + c] * k[past * n_kv + kv + c];
                    }
                    score *= family_.score_scale > 0 ? family_.score_scale
                                                     : 1 / std::sqrt(static_cast<double>(dim));
                    if (of_family.temperature > 0) {
                        const double place = static_cast<double>(t) + family_.temperature_offset;
                        const double turns = std::floor(place / of_family.temperature_length);
                        score *= 1 + of_family.temperature * std::log(1 + turns);
                    }
                    if (family_.soft_cap > 0) {
                        score = family_.soft_cap * std::tanh(score / family_.soft_cap);
                    }
                    const std::size_t window = size(of_family.window);
                    const bool seen =
                        window == 0 ||
                        (of_family.chunked ? t / window == past / window : t - past < window);
                    if (!sees.empty() && !sees[t][past]) {
                        continue;
                    }
                    weight[past] = seen ? std::exp(score) : 0;
                    total += weight[past];
                }
                total += sinks.empty() ? 0 : std::exp(sinks[head]);
                for (std::size_t past = 0; past <= t; ++past) {
                    for (std::size_t c = 0; c < dim; ++c) {
                        y[t * n_q + head * dim + c] +=
                            weight[past] / total * v[past * n_kv + kv + c];
                    }
                }
            }
        }
        return y;
    };
    // The latest of each kind of layer that has some: with a window, and without.
    std::array<std::pair<Matrix, Matrix>, 2> pasts;
    const auto attention = [&](const std::string& p, const Matrix& normed) {
        if (family_.delta_nets && run.find(p + "ssm_a") != nullptr) {
            return delta_net(run, family_, p, normed, size(n_key_heads_), size(delta_dim_),
                             of.norm_eps);
        }
        if (run.find(p + "ssm_in.weight") != nullptr) {
            return mamba(run, p, normed, size(n_key_heads_), size(delta_dim_), of.norm_eps);
        }
        if (run.find(p + "shortconv.conv.weight") != nullptr) {
            return gated_conv(run, p, normed);
        }
        if (family_.latent_rank > 0) {
            return latent_attention(run, family_, p, normed, of.norm_eps, growth, rotate);
        }
        if (choice_block_ > 0) {
            choose_positions(p, normed);
        }
        std::pair<Matrix, Matrix>& past = pasts[of_family.window > 0 ? 1 : 0];
        if (run.find(p + "attn_k.weight") == nullptr &&
            run.find(p + "attn_qkv.weight") == nullptr) {
            Matrix q =
                run.norm(p + "attn_q_norm", run.multiply(p + "attn_q", normed), dim, of.norm_eps);
            rotate(q, q.size() / n_tokens);
            return run.multiply(p + "attn_output", attend(q, past.first, past.second));
        }
        Matrix q;
        Matrix k;
        Matrix v;
        Matrix gate;
        if (run.find(p + "attn_qkv.weight") != nullptr) {
            const Matrix fused = run.multiply(p + "attn_qkv", normed);
            const std::size_t n_q = run.tensor(p + "attn_output.weight").cols();
            const std::size_t n_kv = (fused.size() / n_tokens - n_q) / 2;
            for (std::size_t t = 0; t < n_tokens; ++t) {
                const auto at = fused.begin() + static_cast<std::ptrdiff_t>(t * (n_q + 2 * n_kv));
                const auto q_end = at + static_cast<std::ptrdiff_t>(n_q);
                const auto k_end = q_end + static_cast<std::ptrdiff_t>(n_kv);
                q.insert(q.end(), at, q_end);
                k.insert(k.end(), q_end, k_end);
                v.insert(v.end(), k_end, k_end + static_cast<std::ptrdiff_t>(n_kv));
            }
        } else {
            q = run.multiply(p + "attn_q", normed);
            if (family_.gated_heads) {
                gate = part_gates(q, dim);
            }
            k = run.multiply(p + "attn_k", normed);
            v = run.find(p + "attn_v.weight") != nullptr ? run.multiply(p + "attn_v", normed) : k;
        }
        if (run.find(p + "attn_q_norm.weight") != nullptr) {  // a head is as a token of its width
            const bool whole = family_.whole_norm;
            q = run.norm(p + "attn_q_norm", q, whole ? q.size() / n_tokens : dim, of.norm_eps);
            k = run.norm(p + "attn_k_norm", k, whole ? k.size() / n_tokens : dim, of.norm_eps);
        }
        rotate(q, q.size() / n_tokens);
        rotate(k, k.size() / n_tokens);
        const auto norm_heads = [&](Matrix& x) {
            for (std::size_t head = 0; head < x.size(); head += dim) {
                double squares = 0;
                for (std::size_t c = 0; c < dim; ++c) {
                    squares += x[head + c] * x[head + c];
                }
                for (std::size_t c = 0; c < dim; ++c) {
                    x[head + c] /= std::sqrt(squares / static_cast<double>(dim) + of.norm_eps);
                }
            }
        };
        if (family_.value_norm) {
            norm_heads(v);
        }
        if (family_.plain_head_norm && of_family.window > 0) {  // behind the rotation
            norm_heads(q);
            norm_heads(k);
        }
        past = {k, v};
        Matrix attended = attend(q, k, v);
        for (std::size_t i = 0; i < gate.size(); ++i) {
            attended[i] *= sigmoid(gate[i]);
        }
        return run.multiply(p + "attn_output", attended);
    };
    Matrix begun;  // the stream that the layer which is computed begins with
    const auto feed_forward = [&](int layer, const Matrix& residual, const Matrix& normed) {
        const std::string p = "blk." + std::to_string(layer) + ".";
        if (run.find(p + "ffn_gate_inp.weight") != nullptr) {
            if (!family_.dense_beside) {
                return mixture(run, family_, p, family_.routed_early ? begun : normed, normed);
            }
            const auto own = [&](const Matrix& values, const char* name, const char* ending) {
                return run.norm(p + name, values, n_embd, of.norm_eps, ending);
            };
            Matrix routed = own(residual, "ffn_gate_inp", ".scale");
            for (double& value : routed) {
                value /= std::sqrt(static_cast<double>(n_embd));
            }
            const Matrix experts =
                mixture(run, family_, p, routed, own(residual, "pre_ffw_norm_2", ".weight"));
            const Matrix beside = dense_block(run, family_, p, "", normed);
            Matrix sum = own(experts, "post_ffw_norm_2", ".weight");
            Run::add(sum, own(beside, "post_ffw_norm_1", ".weight"));
            return sum;
        }
        Matrix score;
        if (run.find(p + "fc1.weight") != nullptr) {
            Matrix inner = run.multiply(p + "fc1", residual);
            for (double& value : inner) {
                value = std::max(value, 0.0);
            }
            score = run.multiply(p + "fc2", inner);
        }
        Matrix gate;
        Matrix up;
        if (run.find(p + "ffn_gate_up.weight") != nullptr) {
            const Matrix both = run.multiply(p + "ffn_gate_up", normed);
            const auto n_ff = static_cast<std::ptrdiff_t>(both.size() / n_tokens / 2);
            for (auto at = both.begin(); at != both.end(); at += 2 * n_ff) {
                gate.insert(gate.end(), at, at + n_ff);
                up.insert(up.end(), at + n_ff, at + 2 * n_ff);
            }
        } else {
            up = run.multiply(p + "ffn_up", normed);
            const bool gated = run.find(p + "ffn_gate.weight") != nullptr;
            gate = gated ? run.multiply(p + "ffn_gate", normed) : up;
        }
        const std::string& kind = !activation_.empty() ? activation_
                                  : sparse             ? family_.sparse
                                                       : family_.dense;
        Matrix hidden(gate.size());
        for (std::size_t i = 0; i < hidden.size(); ++i) {
            if (options.predicted && !score.empty() && score[i] < threshold_) {
                continue;
            }
            hidden[i] = activated(kind, of.relu_threshold, gate[i], up[i]);
        }
        if (observer) {
            observer({layer, residual, normed, score, gate, hidden});
        }
        return by_neuron ? run.multiply_transposed(p + "ffn_down_t", hidden)
                         : run.multiply(p + "ffn_down", hidden);
    };

    Matrix x;
    for (std::size_t t = 0; t < n_tokens; ++t) {
        std::vector<double> row = run.row("token_embd.weight", static_cast<std::size_t>(tokens[t]));
        for (double& value : row) {
            value *= embedding_scale_ * family_.embedding_scale;
        }
        if (family_.has_positions) {
            Run::add(row, run.row("position_embd.weight", t + 2));
        }
        for (int stream = 0; stream < std::max(1, family_.n_streams); ++stream) {
            x.insert(x.end(), row.begin(), row.end());
        }
    }
    Matrix layer_inputs;  // [n_tokens, n_layer, n_embd_layer]
    if (const std::size_t width = size(family_.n_embd_layer); width > 0) {
        layer_inputs = run.multiply("per_layer_model_proj", x);
        for (double& value : layer_inputs) {
            value /= std::sqrt(static_cast<double>(n_embd));
        }
        layer_inputs = run.norm("per_layer_proj_norm", layer_inputs, width, eps_);
        Matrix rows;
        for (const std::int32_t token : tokens) {
            const auto row = run.row("per_layer_token_embd.weight", size(token));
            rows.insert(rows.end(), row.begin(), row.end());
        }
        for (std::size_t i = 0; i < rows.size(); ++i) {
            layer_inputs[i] = (layer_inputs[i] + rows[i] * std::sqrt(static_cast<double>(width))) /
                              std::sqrt(2.0);
        }
    }
    for (int layer = 0; layer < n_layer_; ++layer) {
        begin_layer(layer);
        begin_family(layer);
        sinks = family_.sinks ? run.row("blk." + std::to_string(layer) + ".attn_sinks.weight", 0)
                              : std::vector<double>{};
        const std::string p = "blk." + std::to_string(layer) + ".";
        begun = x;
        if (family_.n_streams > 0) {
            if (run.find(p + "ple_key.weight") != nullptr) {
                Run::add(x, ngrams(run, ngram_keys(file_, family_.arch), p, x, tokens, n_embd,
                                   of.norm_eps));
            }
            const auto add_block = [&](const char* name, const auto& block) {
                Matrix shares;
                const Matrix mixed = mix_streams(run, p + name, x, n_embd, of.norm_eps, &shares);
                const Matrix output = block(mixed);
                for (std::size_t i = 0; i < x.size(); ++i) {
                    const std::size_t token = i / (x.size() / n_tokens);
                    x[i] += shares[i / n_embd] * output[token * n_embd + i % n_embd];
                }
            };
            add_block("hc_attn", [&](const Matrix& mixed) { return attention(p, mixed); });
            add_block("hc_ffn", [&](const Matrix& mixed) { return feed_forward(layer, x, mixed); });
            continue;
        }
        const auto input = [&](const std::string& name) {
            return family_.input_norms ? run.norm(p + name, x, n_embd, of.norm_eps) : x;
        };
        const auto add_output = [&](const std::string& name, Matrix output) {
            if (family_.post_norms) {
                output = run.norm(p + name, output, n_embd, of.norm_eps);
            }
            for (double& value : output) {
                value *= family_.residual_scale;
            }
            Run::add(x, output);
        };
        const Matrix normed = input("attn_norm");
        if (family_.parallel) {
            const Matrix own = run.find(p + "attn_norm_2.weight") != nullptr
                                   ? run.norm(p + "attn_norm_2", x, n_embd, of.norm_eps)
                                   : normed;
            const Matrix attended = attention(p, own);
            const Matrix fed = feed_forward(layer, x, normed);
            Run::add(x, attended);
            Run::add(x, fed);
            continue;
        }
        if (family_.lone_blocks) {
            const bool fed = run.find(p + "ffn_up.weight") != nullptr ||
                             run.find(p + "ffn_gate_inp.weight") != nullptr;
            add_output({}, fed ? feed_forward(layer, x, normed) : attention(p, normed));
            continue;
        }
        add_output("post_attention_norm", attention(p, normed));
        add_output("post_ffw_norm", feed_forward(layer, x, input("ffn_norm")));
        if (const std::size_t width = size(family_.n_embd_layer); width > 0) {
            Matrix gate = run.multiply(p + "inp_gate", x);
            for (std::size_t i = 0; i < gate.size(); ++i) {
                const std::size_t at = i / width * width * size(n_layer_) + size(layer) * width;
                gate[i] = activated("geglu", 0, gate[i], layer_inputs[at + i % width]);
            }
            Run::add(
                x, run.norm(p + "post_norm", run.multiply(p + "proj", gate), n_embd, of.norm_eps));
        }
        if (family_.layer_scale) {
            for (double& value : x) {
                value *= run.row(p + "layer_output_scale.weight", 0)[0];
            }
        }
    }
    const bool tied = run.find("output.weight") == nullptr;
    const Matrix last = family_.n_streams > 0
                            ? mix_streams(run, "output_hc", x, n_embd, eps_, nullptr)
                            : run.norm("output_norm", x, n_embd, eps_);
    Matrix logits = run.multiply(tied ? "token_embd" : "output", last);
    for (double& logit : logits) {
        logit *= family_.logit_scale;
        if (family_.logit_soft_cap > 0) {
            logit = family_.logit_soft_cap * std::tanh(logit / family_.logit_soft_cap);
        }
    }
    return logits;
}

}  // namespace hearth::test
