#include "support/reference/blocks.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace hearth::test::reference {
namespace {

double gelu(double x) {
    return 0.5 * x *
           (1 + std::tanh(std::sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
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

}  // namespace

double sigmoid(double x) {
    return 1 / (1 + std::exp(-x));
}

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

Matrix dense_block(const ReferenceTensors& tensors, const TestFamily& family, const std::string& p,
                   const std::string& ending, const Matrix& normed) {
    Matrix hidden = tensors.multiply(p + "ffn_up" + ending, normed);
    const Matrix gate = family.gated ? tensors.multiply(p + "ffn_gate" + ending, normed) : hidden;
    for (std::size_t i = 0; i < hidden.size(); ++i) {
        hidden[i] = activated(family.dense, 0, gate[i], hidden[i]);
    }
    return tensors.multiply(p + "ffn_down" + ending, hidden);
}

Matrix mixture(const ReferenceTensors& tensors, const TestFamily& family, const std::string& p,
               const Matrix& routed, const Matrix& normed) {
    const std::size_t n_embd = tensors.tensor(p + "ffn_gate_inp.weight").cols();
    const std::size_t n_ff = tensors.tensor(p + "ffn_down_exps.weight").cols();
    const Matrix products = tensors.multiply(p + "ffn_gate_inp", routed);
    const std::size_t n = products.size() * n_embd / normed.size();
    const bool biased = tensors.find(p + "exp_probs_b.bias") != nullptr;
    const std::vector<double> bias =
        biased ? tensors.row(p + "exp_probs_b.bias", 0) : std::vector<double>{};
    const bool scaled = tensors.find(p + "ffn_down_exps.scale") != nullptr;
    const std::vector<double> scales =
        scaled ? tensors.row(p + "ffn_down_exps.scale", 0) : std::vector<double>(n, 1.0);
    const bool shared = tensors.find(p + "ffn_up_shexp.weight") != nullptr;
    const bool fused = tensors.find(p + "ffn_gate_up_exps.weight") != nullptr;
    const bool latent = tensors.find(p + "ffn_latent_down.weight") != nullptr;
    const Matrix inputs = latent ? tensors.multiply(p + "ffn_latent_down", normed) : normed;
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
                if (tensors.find(p + name + ".bias") != nullptr) {
                    ReferenceTensors::add(values, tensors.row(p + name + ".bias", expert));
                }
                return values;
            };
            // An expert's gates stand before its ups.
            const auto of_expert = [&](const char* name, std::size_t half) {
                const double* read = weighed.data();
                return fused ? tensors.multiply_some(p + "ffn_gate_up_exps",
                                                     (2 * expert + half) * n_ff, n_ff, read)
                             : with_bias(name, tensors.multiply_some(p + name, expert * n_ff, n_ff,
                                                                     read));
            };
            Matrix hidden = of_expert("ffn_up_exps", 1);
            const Matrix gate = family.gated ? of_expert("ffn_gate_exps", 0) : hidden;
            for (std::size_t i = 0; i < n_ff; ++i) {
                hidden[i] = activated(family.dense, 0, gate[i], hidden[i]);
            }
            const Matrix out = with_bias(
                "ffn_down_exps",
                tensors.multiply_some(p + "ffn_down_exps", expert * width, width, hidden.data()));
            for (std::size_t i = 0; i < width; ++i) {
                const double weight = family.weighs_inputs ? 1 : weights[expert];
                y[t * width + i] += weight * scales[expert] * out[i];
            }
        }
    }
    if (latent) {
        y = tensors.multiply(p + "ffn_latent_up", y);
    }
    if (shared) {
        Matrix out = dense_block(tensors, family, p, "_shexp", normed);
        const bool weighted = tensors.find(p + "ffn_gate_inp_shexp.weight") != nullptr;
        const Matrix weights =
            weighted ? tensors.multiply(p + "ffn_gate_inp_shexp", normed) : Matrix{};
        for (std::size_t i = 0; i < out.size() && weighted; ++i) {
            out[i] *= sigmoid(weights[i / n_embd]);
        }
        ReferenceTensors::add(y, out);
    }
    return y;
}

}  // namespace hearth::test::reference
