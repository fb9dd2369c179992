#include "cpu/cpu_block_choice.h"

#include <array>
#include <cstring>

#include "base/assert.h"
#include "cpu/copy_positions.h"

namespace hearth {
namespace {

std::size_t size(int n) {
    return static_cast<std::size_t>(n);
}

float dot(const float* a, const float* b, std::size_t n) {
    constexpr std::size_t kSums = 8;
    std::array<float, kSums> sums{};
    std::size_t i = 0;
    for (; i + kSums <= n; i += kSums) {
        for (std::size_t k = 0; k < kSums; ++k) {
            sums[k] += a[i + k] * b[i + k];
        }
    }
    for (; i < n; ++i) {
        sums[0] += a[i] * b[i];
    }
    float sum = 0;
    for (const float part : sums) {
        sum += part;
    }
    return sum;
}

}  // namespace

void CpuBlockChoice::set_up(const ModelSpec& spec, std::span<const float> rope_factors,
                            const Scratch& scratch, const CpuAttention::Scratch& heads) {
    layers_ = spec.layers;
    scratch_ = scratch;
    heads_ = heads;
    rope_dim_ = spec.rope_dim_max();
    ropes_.clear();
    key_bytes_ = value_bytes_ = 0;
    for (const LayerSpec& layer : layers_) {
        const AttentionSpec& attention = layer.attention;
        ropes_.emplace_back(attention.rope, rope_factors);
        if (attention.choice.present()) {
            const std::size_t n_tiles = size(most_seen(attention.choice) / kernels::kTileRows);
            key_bytes_ = std::max(
                key_bytes_, n_tiles * kernels::past_tile_bytes(attention.kv, attention.head_dim));
            value_bytes_ =
                std::max(value_bytes_,
                         n_tiles * kernels::past_tile_bytes(attention.kv, attention.values_dim()));
        }
    }
}

int CpuBlockChoice::n_seeing_all(const HeadsTask& task) const {
    const BlockChoiceSpec& choice = spec(task.layer).choice;
    // The first position from which on more blocks are whole than a query sees.
    const std::int64_t first =
        std::int64_t{choice.n_chosen} * choice.block + choice.block - 1 - task.position;
    return static_cast<int>(std::clamp<std::int64_t>(first, 0, task.n_tokens));
}

void CpuBlockChoice::norm_and_rotate(int layer, const float* weight, float* x, int n_heads,
                                     int position, int worker) const {
    const int dim = spec(layer).choice.dim;
    float* angles = scratch_.angles + size(worker) * angles_stride();
    for (int head = 0; head < n_heads; ++head) {
        float* own = x + size(head) * size(dim);
        table_.rms_norm(own, weight, layers_[size(layer)].norm.eps, own, dim);
    }
    ropes_[size(layer)].angles(position, angles);
    ropes_[size(layer)].rotate(angles, x, n_heads, dim);
}

void CpuBlockChoice::keep_keys(const HeadsTask& task, const CpuLayer& weights) {
    const BlockChoiceSpec& choice = spec(task.layer).choice;
    const std::size_t dim = size(choice.dim);
    float* keys = task.past.cpu.choice_keys(task.layer);
    std::memcpy(keys + size(task.position) * dim, scratch_.k,
                size(task.n_tokens) * dim * sizeof(float));
    const int first = task.position / choice.block;
    const int end = (task.position + task.n_tokens) / choice.block;
    pool_.run(end - first, [&](int index, int worker) {
        const std::size_t block = size(first + index);
        const float* of_block = keys + block * size(choice.block) * dim;
        float* mean = task.past.cpu.choice_blocks(task.layer) + block * dim;
        std::fill_n(mean, dim, 0.0F);
        for (int i = 0; i < choice.block; ++i) {
            table_.add_vector(of_block + size(i) * dim, mean, choice.dim);
        }
        for (std::size_t c = 0; c < dim; ++c) {
            mean[c] /= static_cast<float>(choice.block);
        }
        norm_and_rotate(task.layer, weights.vectors[Role::ChoiceKNorm].data(), mean, 1,
                        (first + index) * choice.block, worker);
    });
}

// The earlier of two equal scores counts.
void CpuBlockChoice::choose(const HeadsTask& task, const CpuLayer& weights, int token, int worker) {
    const BlockChoiceSpec& choice = spec(task.layer).choice;
    const std::size_t dim = size(choice.dim);
    const std::size_t n_chosen = size(choice.n_chosen);
    float* q = scratch_.q + size(token) * size(choice.queries_width());
    const int position = task.position + token;
    norm_and_rotate(task.layer, weights.vectors[Role::ChoiceQNorm].data(), q, choice.n_head,
                    position, worker);
    const float* blocks = task.past.cpu.choice_blocks(task.layer);
    std::int32_t* chosen = scratch_.chosen + size(token) * n_chosen;
    float* best = scratch_.best + size(worker) * n_chosen;
    const int n_blocks = (position + 1) / choice.block;
    // A heap whose first entry is the worst of the best, the later one of two equal ones.
    std::size_t count = 0;
    const auto is_worse = [&](std::size_t a, std::size_t b) {
        return best[a] < best[b] || (best[a] == best[b] && chosen[a] > chosen[b]);
    };
    const auto swap = [&](std::size_t a, std::size_t b) {
        std::swap(best[a], best[b]);
        std::swap(chosen[a], chosen[b]);
    };
    for (int block = 0; block < n_blocks; ++block) {
        float score = 0;
        for (int head = 0; head < choice.n_head; ++head) {
            score += std::max(0.0F, dot(q + size(head) * dim, blocks + size(block) * dim, dim));
        }
        if (count < n_chosen) {
            best[count] = score;
            chosen[count] = block;
            for (std::size_t at = count++; at > 0 && is_worse(at, (at - 1) / 2);
                 at = (at - 1) / 2) {
                swap(at, (at - 1) / 2);
            }
            continue;
        }
        if (!(score > best[0])) {
            continue;
        }
        best[0] = score;
        chosen[0] = block;
        for (std::size_t at = 0;;) {
            std::size_t worst = at;
            for (const std::size_t child : {2 * at + 1, 2 * at + 2}) {
                worst = child < count && is_worse(child, worst) ? child : worst;
            }
            if (worst == at) {
                break;
            }
            swap(at, worst);
            at = worst;
        }
    }
    HEARTH_DCHECK(count == n_chosen);
    std::sort(chosen, chosen + n_chosen);
}

void CpuBlockChoice::attend_head(const HeadsTask& task, int token, int head_kv, int worker) {
    const AttentionSpec& of = spec(task.layer);
    const BlockChoiceSpec& choice = of.choice;
    const std::size_t dim = size(of.head_dim);
    const std::size_t value_dim = size(of.values_dim());
    const int position = task.position + token;
    const PastPositions from{.kv = of.kv,
                             .key_dim = of.head_dim,
                             .value_dim = of.values_dim(),
                             .keys = task.past.cpu.keys(task.layer, head_kv),
                             .values = task.past.cpu.values(task.layer, head_kv)};
    std::byte* keys = scratch_.keys + size(worker) * key_bytes_;
    std::byte* values = scratch_.values + size(worker) * value_bytes_;
    const std::int32_t* chosen = scratch_.chosen + size(token) * size(choice.n_chosen);
    int n_seen = 0;
    const auto see = [&](int first, int count) {
        copy_positions(from, first, count, n_seen, keys, values);
        n_seen += count;
    };
    for (int i = 0; i < choice.n_chosen; ++i) {
        see(chosen[i] * choice.block, choice.block);
    }
    const int tail = (position + 1) % choice.block;
    see(position + 1 - tail, tail);
    const int n_shared = of.n_head / of.n_head_kv;
    for (int first = 0; first < n_shared; first += kernels::kAttentionQueries) {
        std::array<const float*, kernels::kAttentionQueries> q{};
        std::array<float*, kernels::kAttentionQueries> out{};
        std::array<int, kernels::kAttentionQueries> n_batch{};
        const int count = std::min(kernels::kAttentionQueries, n_shared - first);
        for (int i = 0; i < count; ++i) {
            const std::size_t row =
                size(token) * size(of.n_head) + size(head_kv * n_shared + first + i);
            q[size(i)] = heads_.q + row * dim;
            out[size(i)] = heads_.attended + row * value_dim;
        }
        table_.attention({.spec = of,
                          .q = q.data(),
                          .out = out.data(),
                          .largest = nullptr,
                          .total = nullptr,
                          .n_queries = count,
                          .n_cached = n_seen,
                          .k = keys,
                          .v = values,
                          .n_batch = n_batch.data(),
                          .k_batch = heads_.k_tiles,
                          .v_batch = heads_.v,
                          .v_batch_stride = 0});
    }
}

void CpuBlockChoice::attend(const HeadsTask& task, const CpuLayer& weights, int first) {
    const int count = task.n_tokens - first;
    pool_.run(count, [&](int i, int worker) { choose(task, weights, first + i, worker); });
    const int n_heads = spec(task.layer).n_head_kv;
    pool_.run(count * n_heads, [&](int index, int worker) {
        attend_head(task, first + index / n_heads, index % n_heads, worker);
    });
}

}  // namespace hearth
