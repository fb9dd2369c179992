#include "support/reference/attention.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hearth::test::reference {

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

Matrix latent_attention(const ReferenceTensors& tensors, const TestFamily& family,
                        const std::string& p, const Matrix& normed, double eps, double growth,
                        const std::function<void(Matrix&, std::size_t)>& rotate) {
    const std::size_t rank = size(family.latent_rank);
    const std::size_t plain = size(family.latent_plain);
    const std::size_t rotated = size(family.latent_rotated);
    const std::size_t values = size(family.latent_values);
    const std::size_t n_head = tensors.tensor(p + "attn_output.weight").cols() / values;
    const bool low = tensors.find(p + "attn_q_a.weight") != nullptr;
    const Matrix q = low ? tensors.multiply(p + "attn_q_b",
                                            tensors.norm(p + "attn_q_a_norm",
                                                         tensors.multiply(p + "attn_q_a", normed),
                                                         size(family.latent_query_rank), eps))
                         : tensors.multiply(p + "attn_q", normed);
    const Matrix both = tensors.multiply(p + "attn_kv_a_mqa", normed);
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
    latent = tensors.norm(p + "attn_kv_a_norm", latent, rank, eps);
    rotate(key_turn, rotated);
    rotate(query_turn, n_head * rotated);
    // [n_tokens, n_head, plain] and [n_tokens, n_head, values]
    Matrix keys(n_tokens * n_head * plain);
    Matrix made(n_tokens * n_head * values);
    if (tensors.find(p + "attn_kv_b.weight") != nullptr) {
        const Matrix kv = tensors.multiply(p + "attn_kv_b", latent);
        for (std::size_t i = 0; i < n_tokens * n_head; ++i) {
            const double* head = &kv[i * (plain + values)];
            std::copy_n(head, plain, &keys[i * plain]);
            std::copy_n(head + plain, values, &made[i * values]);
        }
    } else {
        made = tensors.multiply(p + "attn_v_b", latent);
        for (std::size_t head = 0; head < n_head; ++head) {
            for (std::size_t r = 0; r < rank; ++r) {
                const std::vector<double> row = tensors.row(p + "attn_k_b.weight", head * rank + r);
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
    return tensors.multiply(p + "attn_output", y);
}

}  // namespace hearth::test::reference
