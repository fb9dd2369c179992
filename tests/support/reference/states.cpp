#include "support/reference/states.h"

#include <cmath>
#include <utility>
#include <vector>

#include "support/reference/blocks.h"

namespace hearth::test::reference {
namespace {

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
DeltaInputs delta_inputs(const ReferenceTensors& tensors, const std::string& p,
                         const Matrix& normed, std::size_t n_key, std::size_t n_value,
                         std::size_t dim) {
    const std::size_t group = n_value / n_key;
    DeltaInputs all;
    if (tensors.find(p + "ssm_in.weight") != nullptr) {
        const std::vector<Matrix> parts = part_key_heads(tensors.multiply(p + "ssm_in", normed),
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
        all.channels = tensors.multiply(p + "attn_qkv", normed);
        all.gate = tensors.multiply(p + "attn_gate", normed);
    }
    if (tensors.find(p + "ssm_ba.weight") != nullptr) {
        std::vector<Matrix> parts =
            part_key_heads(tensors.multiply(p + "ssm_ba", normed), {group, group});
        all.beta = std::move(parts[0]);
        all.alpha = std::move(parts[1]);
    } else {
        all.beta = tensors.multiply(p + "ssm_beta", normed);
        all.alpha = tensors.multiply(p + "ssm_alpha", normed);
    }
    return all;
}

}  // namespace

Matrix delta_net(const ReferenceTensors& tensors, const TestFamily& family, const std::string& p,
                 const Matrix& normed, std::size_t n_key, std::size_t dim, double eps) {
    const bool neighbours_share = family.neighbours_share;
    const std::size_t n_value = tensors.tensor(p + "ssm_dt.bias").cols();
    const auto [input, gate, beta, alpha] = delta_inputs(tensors, p, normed, n_key, n_value, dim);
    const std::size_t channels = tensors.tensor(p + "ssm_conv1d.weight").rows();
    const std::size_t n_tokens = input.size() / channels;
    const std::size_t kernel = tensors.tensor(p + "ssm_conv1d.weight").cols();
    const std::vector<double> dt = tensors.row(p + "ssm_dt.bias", 0);
    const std::vector<double> a = tensors.row(p + "ssm_a", 0);
    Matrix mixed(input.size());
    for (std::size_t c = 0; c < channels; ++c) {
        const std::vector<double> taps = tensors.row(p + "ssm_conv1d.weight", c);
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
    output = tensors.norm(p + "ssm_norm", output, dim, eps);
    for (std::size_t i = 0; i < output.size(); ++i) {
        output[i] *= (family.sigmoid_gates ? 1 : gate[i]) * sigmoid(gate[i]);
    }
    return tensors.multiply(p + "ssm_out", output);
}

Matrix gated_conv(const ReferenceTensors& tensors, const std::string& p, const Matrix& normed) {
    const Matrix input = tensors.multiply(p + "shortconv.in_proj", normed);
    const std::size_t width = tensors.tensor(p + "shortconv.conv.weight").rows();
    const std::size_t kernel = tensors.tensor(p + "shortconv.conv.weight").cols();
    const std::size_t n_tokens = input.size() / (3 * width);
    Matrix output(n_tokens * width);
    for (std::size_t c = 0; c < width; ++c) {
        const std::vector<double> taps = tensors.row(p + "shortconv.conv.weight", c);
        for (std::size_t t = 0; t < n_tokens; ++t) {
            double sum = 0;
            for (std::size_t back = 0; back < kernel && back <= t; ++back) {
                const double* token = &input[(t - back) * 3 * width];
                sum += taps[kernel - 1 - back] * token[c] * token[2 * width + c];
            }
            output[t * width + c] = sum * input[t * 3 * width + width + c];
        }
    }
    return tensors.multiply(p + "shortconv.out_proj", output);
}

Matrix mamba(const ReferenceTensors& tensors, const std::string& p, const Matrix& normed,
             std::size_t groups, std::size_t n_state, double eps) {
    const Matrix input = tensors.multiply(p + "ssm_in", normed);
    const std::size_t channels = tensors.tensor(p + "ssm_conv1d.weight").rows();
    const std::size_t kernel = tensors.tensor(p + "ssm_conv1d.weight").cols();
    const std::size_t values = tensors.tensor(p + "ssm_out.weight").cols();
    const std::size_t stride = tensors.tensor(p + "ssm_in.weight").rows();
    const std::size_t heads = stride - values - channels;
    const std::size_t n_tokens = input.size() / stride;
    const std::size_t dim = values / heads;
    const std::vector<double> bias = tensors.row(p + "ssm_conv1d.bias", 0);
    const std::vector<double> dt_bias = tensors.row(p + "ssm_dt.bias", 0);
    Matrix mixed(n_tokens * channels);
    for (std::size_t c = 0; c < channels; ++c) {
        const std::vector<double> taps = tensors.row(p + "ssm_conv1d.weight", c);
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
        const double a = tensors.row(p + "ssm_a", head)[0];
        const double skip = tensors.row(p + "ssm_d", head)[0];
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
        const std::vector<double> weight = tensors.row(p + "ssm_norm.weight", at / width % groups);
        double squares = 0;
        for (std::size_t i = 0; i < width; ++i) {
            squares += output[at + i] * output[at + i];
        }
        for (std::size_t i = 0; i < width; ++i) {
            output[at + i] *= weight[i] / std::sqrt(squares / static_cast<double>(width) + eps);
        }
    }
    return tensors.multiply(p + "ssm_out", output);
}

}  // namespace hearth::test::reference
