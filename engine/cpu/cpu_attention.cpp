#include "cpu/cpu_attention.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

namespace hearth {

// Keys lie in tiles, so the first part begins with one.
CpuAttention::ContextParts CpuAttention::ContextParts::of(int first_position, int end) {
    const int first = first_position / kernels::kTileRows * kernels::kTileRows;
    const int n_cached = end - first;
    const int shortest_of_most = (n_cached + kMostParts - 1) / kMostParts;
    const int positions =
        std::max(kShortestPart, (shortest_of_most + kernels::kAttentionChunk - 1) /
                                    kernels::kAttentionChunk * kernels::kAttentionChunk);
    return {first, (n_cached + positions - 1) / positions, positions};
}

CpuAttention::CpuAttention(const kernels::KernelTable& table, ThreadPool& pool)
    : table_(table), pool_(pool) {}

void CpuAttention::set_up(const ModelSpec& spec, std::span<const float> rope_factors,
                          const Scratch& scratch, int n_batch, int first_layer) {
    layers_ = spec.layers;
    ropes_.clear();
    for (const LayerSpec& layer : layers_) {
        ropes_.emplace_back(layer.attention.rope, rope_factors);
    }
    shared_.assign(layers_.size(), -1);
    int n_shared = 0;
    for (int i = 0; i < spec.n_layer(); ++i) {
        const int past_of = layers_[static_cast<std::size_t>(i)].attention.past_of;
        shared_[static_cast<std::size_t>(i)] = past_of >= 0
                                                   ? shared_[static_cast<std::size_t>(past_of)]
                                               : spec.shares_past(i) ? n_shared++
                                                                     : -1;
    }
    scratch_ = scratch;
    first_layer_ = first_layer;
    n_batch_ = n_batch;
    n_batch_padded_ = padded_to_tiles(n_batch);
    n_embd_kv_max_ = spec.n_embd_kv_max();
}

int CpuAttention::n_shared_pasts(const ModelSpec& spec) {
    int n = 0;
    for (int i = 0; i < spec.n_layer(); ++i) {
        n += spec.shares_past(i) ? 1 : 0;
    }
    return n;
}

// Layers that read another's past find the floats of the batch where that layer left them, so that
// they compute with what it computed with.
void CpuAttention::place_batch(const HeadsTask& task) {
    k_tiles_ = scratch_.k_tiles;
    v_ = scratch_.v;
    const int shared = shared_[static_cast<std::size_t>(task.layer)];
    if (shared < 0 || task.n_tokens == 1) {
        return;
    }
    const auto place = static_cast<std::size_t>(shared) * static_cast<std::size_t>(n_embd_kv_max_);
    k_tiles_ = scratch_.shared_k_tiles + place * static_cast<std::size_t>(n_batch_padded_);
    v_ = scratch_.shared_v + place * static_cast<std::size_t>(n_batch_);
    if (spec().has_own_past()) {
        std::memcpy(v_, scratch_.v,
                    static_cast<std::size_t>(task.n_tokens) *
                        static_cast<std::size_t>(layer_->n_embd_v()) * sizeof(float));
    }
}

void CpuAttention::run(const HeadsTask& task, int n) {
    layer_ = &layers_[static_cast<std::size_t>(task.layer)];
    place_batch(task);
    rotate_and_store(task);
    if (task.each_alone) {
        for (int t = 0; t < n; ++t) {
            HeadsTask one = task;
            one.n_tokens = 1;
            one.position += t;
            attend(one, t);
        }
    } else if (n > 0) {
        HeadsTask first = task;
        first.n_tokens = n;
        attend(first, 0);
    }
}

// A task takes a tile of tokens, so that keys go into tiles a whole cache line at a time. Writing
// them token by token took 15 % of the prefill of a model with 32 key heads.
void CpuAttention::rotate_and_store(const HeadsTask& task) {
    constexpr int kTile = kernels::kTileRows;
    const auto n_q = static_cast<std::size_t>(layer_->n_embd_q());
    const auto n_kv = static_cast<std::size_t>(layer_->n_embd_kv());
    const auto n_v = static_cast<std::size_t>(layer_->n_embd_v());
    const auto dim = static_cast<std::size_t>(spec().head_dim);
    const Rope& rope = ropes_[static_cast<std::size_t>(task.layer)];
    // Layers of a pass that rotate alike share them.
    const bool new_angles = task.layer == first_layer_ || angles_of_ != spec().rope;
    angles_of_ = spec().rope;
    pool_.run((task.n_tokens + kTile - 1) / kTile, [&](int index, int) {
        const int first = index * kTile;
        const int n = std::min(kTile, task.n_tokens - first);
        for (int t = first; t < first + n; ++t) {
            const auto token = static_cast<std::size_t>(t);
            float* angles = scratch_.angles + token * static_cast<std::size_t>(spec().rope.dim);
            if (new_angles) {
                rope.angles(task.position + t, angles);
            }
            rope.rotate(angles, scratch_.q + token * n_q, spec().n_head, spec().head_dim);
            if (spec().temperature != 0) {
                const float factor = temperature_at(spec(), task.position + t);
                for (std::size_t i = 0; i < n_q; ++i) {
                    scratch_.q[token * n_q + i] *= factor;
                }
            }
            if (spec().has_own_past()) {
                rope.rotate(angles, scratch_.k + token * n_kv, spec().n_head_kv, spec().head_dim);
            }
        }
        for (int head = 0; head < spec().n_head_kv && spec().has_own_past(); ++head) {
            const std::size_t rows =
                static_cast<std::size_t>(first) * n_kv + static_cast<std::size_t>(head) * dim;
            const bool rounds = spec().kv == KvType::Q8_0;
            for (int t = 0; t < n; ++t) {
                float* value = v_ + static_cast<std::size_t>(first + t) * n_v +
                               static_cast<std::size_t>(head) * value_dim();
                const int position = task.position + first + t;
                if (rounds) {
                    task.past.cpu.store_rounded(
                        task.layer, head, position,
                        scratch_.k + rows + static_cast<std::size_t>(t) * n_kv, value);
                } else {
                    table_.to_half(value, task.past.cpu.value(task.layer, head, position),
                                   spec().values_dim());
                }
            }
            store_keys(task, head, first, n, scratch_.k + rows);
        }
    });
}

// Stores the keys of n <= 16 tokens from `first` on, whose rows lie n_embd_kv apart. They go to the
// cache, unless they are there in bytes, and, unless the pass has a single token, in float to the
// batch's own tiles.
void CpuAttention::store_keys(const HeadsTask& task, int head_kv, int first, int n,
                              const float* rows) {
    constexpr int kTile = kernels::kTileRows;
    const auto dim = static_cast<std::size_t>(spec().head_dim);
    const bool is_stored = spec().kv == KvType::Q8_0;
    if (task.n_tokens == 1) {
        if (is_stored) {
            return;
        }
        std::array<std::uint16_t, kernels::kMaxHeadDim> key;
        table_.to_half(rows, key.data(), spec().head_dim);
        task.past.cpu.store_key(task.layer, head_kv, task.position, key.data());
        return;
    }
    // Rows lie a power of two apart and so fall into the same few sets of the cache. They are
    // copied next to each other before they are read by column.
    alignas(64) std::array<float, kTile * kernels::kMaxHeadDim> together;
    alignas(64) std::array<std::uint16_t, kTile * kernels::kMaxHeadDim> halves;
    for (std::size_t t = 0; t < kTile; ++t) {
        if (static_cast<int>(t) < n) {
            std::memcpy(&together[t * dim],
                        rows + t * static_cast<std::size_t>(layer_->n_embd_kv()),
                        dim * sizeof(float));
        } else {
            std::fill_n(&together[t * dim], dim, 0.0F);
        }
    }
    float* tile = batch_keys(head_kv) + static_cast<std::size_t>(first) * dim;
    for (std::size_t c = 0; c < dim; ++c) {
        for (std::size_t t = 0; t < kTile; ++t) {
            tile[c * kTile + t] = together[t * dim + c];
        }
    }
    if (is_stored) {
        return;
    }
    table_.to_half(tile, halves.data(), kTile * spec().head_dim);
    task.past.cpu.store_keys(task.layer, head_kv, task.position + first, n, halves.data());
}

float* CpuAttention::batch_keys(int head_kv) {
    return k_tiles_ + static_cast<std::size_t>(head_kv) *
                          static_cast<std::size_t>(n_batch_padded_) *
                          static_cast<std::size_t>(spec().head_dim);
}

// A task takes one key/value head and up to kAttentionQueries of the (token, query head) pairs that
// read it, so that every key that is loaded serves several queries. The long past of a single token
// is cut into parts, so that more threads than heads have work. The cut depends on the length of
// the past only, never on the number of threads.
void CpuAttention::attend(const HeadsTask& task, int row) {
    const int n_pairs = task.n_tokens * n_shared();
    const int n_groups = (n_pairs + kernels::kAttentionQueries - 1) / kernels::kAttentionQueries;
    // A single token reads its own key from the cache too. It then reads one run of positions
    // instead of two.
    const int first = first_seen(spec(), task.position);
    const int held = task.past.cpu.first_position(task.layer);
    const ContextParts parts =
        task.n_tokens == 1
            ? ContextParts::of(first, task.position + 1)
            : ContextParts{.first = held, .count = 1, .positions = task.position - held};
    pool_.run(spec().n_head_kv * n_groups * parts.count, [&](int index, int) {
        attend_group(task, row, parts, index % parts.count, index / parts.count % spec().n_head_kv,
                     index / parts.count / spec().n_head_kv * kernels::kAttentionQueries);
    });
    if (parts.count > 1) {
        pool_.run(spec().n_head,
                  [&](int head, int) { join_parts(parts.count, row, head, task.sinks); });
    }
}

// Computes pairs [first, first + kAttentionQueries) of one head over one part of the cached
// positions.
void CpuAttention::attend_group(const HeadsTask& task, int row, const ContextParts& parts, int part,
                                int head_kv, int first) {
    const auto dim = static_cast<std::size_t>(spec().head_dim);
    const bool whole = parts.count == 1;
    std::array<const float*, kernels::kAttentionQueries> q{};
    std::array<float*, kernels::kAttentionQueries> out{};
    std::array<int, kernels::kAttentionQueries> n_batch{};
    std::array<int, kernels::kAttentionQueries> from_cached{};
    std::array<int, kernels::kAttentionQueries> from_batch{};
    std::array<float, kernels::kAttentionQueries> largest{};
    std::array<float, kernels::kAttentionQueries> total{};
    const bool sinks = whole && task.sinks != nullptr;
    const int from = parts.first + part * parts.positions;
    const int count = std::min(kernels::kAttentionQueries, task.n_tokens * n_shared() - first);
    for (int i = 0; i < count; ++i) {
        const int token = (first + i) / n_shared();
        const int head = head_kv * n_shared() + (first + i) % n_shared();
        const std::size_t at =
            static_cast<std::size_t>(row + token) * static_cast<std::size_t>(spec().n_head) +
            static_cast<std::size_t>(head);
        const auto slot = static_cast<std::size_t>(i);
        q[slot] = scratch_.q + at * dim;
        out[slot] = whole ? scratch_.attended + at * value_dim()
                          : scratch_.parts + part_index(part, head) * value_dim();
        n_batch[slot] = task.n_tokens == 1 ? 0 : token + 1;
        const int seen = first_seen(spec(), task.position + token);
        from_cached[slot] = std::max(0, seen - from);
        from_batch[slot] = std::max(0, seen - task.position);
    }
    // Parts begin with whole tiles.
    const int held = from - task.past.cpu.first_position(task.layer);
    const auto tile = static_cast<std::size_t>(held / kernels::kTileRows);
    const std::size_t ends = part_index(part, head_kv * n_shared() + first);
    const int n_cached = task.position + (task.n_tokens == 1 ? 1 : 0);
    table_.attention({.spec = spec(),
                      .q = q.data(),
                      .out = out.data(),
                      .largest = sinks   ? largest.data()
                                 : whole ? nullptr
                                         : scratch_.part_largest + ends,
                      .total = sinks   ? total.data()
                               : whole ? nullptr
                                       : scratch_.part_total + ends,
                      .n_queries = count,
                      .n_cached = std::min(parts.positions, n_cached - from),
                      .k = task.past.cpu.keys(task.layer, head_kv) +
                           tile * kernels::past_tile_bytes(spec().kv, spec().head_dim),
                      .v = task.past.cpu.values(task.layer, head_kv) +
                           tile * kernels::past_tile_bytes(spec().kv, spec().values_dim()),
                      .n_batch = n_batch.data(),
                      .k_batch = batch_keys(head_kv),
                      .v_batch = v_ + static_cast<std::size_t>(head_kv) * value_dim(),
                      .v_batch_stride = static_cast<std::size_t>(layer_->n_embd_v()),
                      .from_cached = spec().window == 0 ? nullptr : from_cached.data(),
                      .from_batch = spec().window == 0 ? nullptr : from_batch.data()});
    for (int i = 0; i < count && sinks; ++i) {
        const auto slot = static_cast<std::size_t>(i);
        const float sink = task.sinks[head_kv * n_shared() + (first + i) % n_shared()];
        const float most = std::max(largest[slot], sink);
        const float scale = std::exp(largest[slot] - most);
        const float factor = scale / (scale * total[slot] + std::exp(sink - most));
        for (std::size_t c = 0; c < value_dim(); ++c) {
            out[slot][c] *= factor;
        }
    }
}

std::size_t CpuAttention::part_index(int part, int head) const {
    return static_cast<std::size_t>(part) * static_cast<std::size_t>(spec().n_head) +
           static_cast<std::size_t>(head);
}

// out = sum of e^(m_p - m) out_p / sum of e^(m_p - m) total_p with m the largest m_p, in the order
// of the parts. A sink is one more score.
void CpuAttention::join_parts(int n_parts, int row, int head, const float* sinks) {
    const std::size_t dim = value_dim();
    float largest = scratch_.part_largest[part_index(0, head)];
    for (int part = 1; part < n_parts; ++part) {
        largest = std::max(largest, scratch_.part_largest[part_index(part, head)]);
    }
    largest = sinks == nullptr ? largest : std::max(largest, sinks[head]);
    float* out = scratch_.attended +
                 (static_cast<std::size_t>(row) * static_cast<std::size_t>(spec().n_head) +
                  static_cast<std::size_t>(head)) *
                     dim;
    std::fill_n(out, dim, 0.0F);
    float total = sinks == nullptr ? 0 : std::exp(sinks[head] - largest);
    for (int part = 0; part < n_parts; ++part) {
        const std::size_t index = part_index(part, head);
        const float weight = std::exp(scratch_.part_largest[index] - largest);
        total += weight * scratch_.part_total[index];
        const float* values = scratch_.parts + index * dim;
        for (std::size_t c = 0; c < dim; ++c) {
            out[c] += weight * values[c];
        }
    }
    for (std::size_t c = 0; c < dim; ++c) {
        out[c] /= total;
    }
}

}  // namespace hearth
