#include "cpu/cpu_executor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "base/assert.h"
#include "cpu/pack_rows.h"

namespace hearth {
namespace {

bool any_quantized(std::initializer_list<const PackedMatrix*> matrices) {
    return std::any_of(matrices.begin(), matrices.end(), [](const PackedMatrix* matrix) {
        return kernels::takes_quantized(matrix->type);
    });
}

std::uint64_t padded_to_tiles(int n) {
    return static_cast<std::uint64_t>((n + kernels::kTileRows - 1) / kernels::kTileRows *
                                      kernels::kTileRows);
}

// How one token's attention to a long past is cut up.
struct ContextParts {
    static constexpr int kMost = 32;
    static constexpr int kShortest = 1024;  // positions: half a megabyte at 128 dimensions

    ContextParts() = default;
    explicit ContextParts(int n_cached) {
        const int whole = (n_cached + kMost - 1) / kMost;
        positions = std::max(kShortest, (whole + kernels::kAttentionChunk - 1) /
                                            kernels::kAttentionChunk * kernels::kAttentionChunk);
        count = (n_cached + positions - 1) / positions;
    }
    int count = 1;
    int positions = 0;
};

std::uint64_t matrix_bytes(const PackedMatrix& matrix) {
    return packed_bytes(matrix.type, static_cast<std::uint64_t>(matrix.rows),
                        static_cast<std::uint64_t>(matrix.cols));
}

}  // namespace

CpuExecutor::CpuExecutor(const kernels::KernelTable& table, ThreadPool& pool)
    : table_(table), pool_(pool), name_(std::string("cpu/") + table.name) {}

std::uint64_t CpuExecutor::lay_out(const ModelSpec& spec, int n_batch, std::byte* base,
                                   Scratch& scratch) {
    const auto batch = static_cast<std::uint64_t>(n_batch);
    std::uint64_t offset = 0;
    const auto take = [&](auto*& pointer, std::uint64_t bytes) {
        using Pointer = std::remove_reference_t<decltype(pointer)>;
        pointer = base == nullptr ? nullptr : reinterpret_cast<Pointer>(base + offset);
        offset += (bytes + AlignedBuffer::kAlignment - 1) / AlignedBuffer::kAlignment *
                  AlignedBuffer::kAlignment;
    };
    const auto floats = [&](int width) {
        return batch * static_cast<std::uint64_t>(width) * sizeof(float);
    };
    take(scratch.normed, floats(spec.n_embd));
    take(scratch.q, floats(spec.n_embd_q()));
    take(scratch.k, floats(spec.n_embd_kv()));
    take(scratch.v, floats(spec.n_embd_kv()));
    take(scratch.attended, floats(spec.n_embd_q()));
    take(scratch.gate, floats(spec.n_ff));
    take(scratch.up, floats(spec.n_ff));
    take(scratch.angles, floats(spec.rope_dim));
    take(scratch.k_tiles,
         padded_to_tiles(n_batch) * static_cast<std::uint64_t>(spec.n_embd_kv()) * sizeof(float));
    const auto n_parts =
        static_cast<std::uint64_t>(ContextParts::kMost) * static_cast<std::uint64_t>(spec.n_head);
    take(scratch.parts, n_parts * static_cast<std::uint64_t>(spec.head_dim) * sizeof(float));
    take(scratch.part_largest, n_parts * sizeof(float));
    take(scratch.part_total, n_parts * sizeof(float));
    take(scratch.quantized_input, quantized_bytes(std::max(spec.n_embd, spec.n_embd_q()), n_batch));
    take(scratch.quantized_hidden, quantized_bytes(spec.n_ff, n_batch));
    return offset;
}

std::uint64_t CpuExecutor::scratch_bytes(const ModelSpec& spec, int n_batch) {
    Scratch unused;
    return lay_out(spec, n_batch, nullptr, unused);
}

Result<void> CpuExecutor::load(const PlanSlice& slice, LoadMonitor& monitor) {
    spec_ = slice.spec;
    auto scratch = slice.ledger.allocate(Purpose::Scratch, scratch_bytes(spec_, slice.plan.n_batch),
                                         "scratch of the processor");
    if (!scratch) {
        return std::move(scratch).error();
    }
    scratch_buffer_ = std::move(*scratch);
    lay_out(spec_, slice.plan.n_batch, scratch_buffer_.data(), scratch_);
    n_batch_padded_ = static_cast<int>(padded_to_tiles(slice.plan.n_batch));
    auto weights = CpuWeights::load(slice, pool_, monitor);
    if (!weights) {
        return std::move(weights).error();
    }
    weights_ = std::move(*weights);
    rope_ = Rope(spec_, weights_.rope_freqs);
    return {};
}

void CpuExecutor::embed(const EmbedTask& task) {
    const auto n_embd = static_cast<std::size_t>(spec_.n_embd);
    pool_.run(static_cast<int>(task.tokens.size()), [&](int i, int) {
        const auto index = static_cast<std::size_t>(i);
        unpack_row(weights_.token_embd.type, weights_.token_embd.data,
                   static_cast<std::uint64_t>(task.tokens[index]),
                   {task.x + index * n_embd, n_embd});
    });
}

// A task is a group of tokens: their quantised values share cache lines.
template <class Body>
void CpuExecutor::for_each_token(int n_tokens, Body&& body) {
    const int width = kernels::group_width(n_tokens);
    pool_.run((n_tokens + width - 1) / width, [&](int group, int) {
        for (int t = group * width; t < std::min(n_tokens, (group + 1) * width); ++t) {
            body(t);
        }
    });
}

ActivationRows CpuExecutor::normed_input(const float* x, std::span<const float> weight,
                                         int n_tokens,
                                         std::initializer_list<const PackedMatrix*> matrices) {
    const auto n_embd = static_cast<std::size_t>(spec_.n_embd);
    const ActivationRows rows{scratch_.normed, n_embd, scratch_.quantized_input, spec_.n_embd,
                              n_tokens};
    const bool quantize = any_quantized(matrices);
    for_each_token(n_tokens, [&](int t) {
        float* normed = scratch_.normed + static_cast<std::size_t>(t) * n_embd;
        table_.rms_norm(x + static_cast<std::size_t>(t) * n_embd, weight.data(), spec_.norm_eps,
                        normed, spec_.n_embd);
        if (quantize) {
            quantize_into(table_, rows, t, 0, spec_.n_embd / kBlockValues, normed);
        }
    });
    return rows;
}

void CpuExecutor::add_bias(std::span<const float> bias, float* y, int n_tokens) {
    for (int t = 0; t < n_tokens && !bias.empty(); ++t) {
        table_.add(bias.data(), y + static_cast<std::size_t>(t) * bias.size(),
                   static_cast<int>(bias.size()));
    }
}

void CpuExecutor::attention(const AttentionTask& task) {
    const CpuLayer& layer = weights_.layers[static_cast<std::size_t>(task.layer)];
    const ActivationRows input = normed_input(task.x, layer.attn_norm, task.n_tokens,
                                              {&layer.attn_q, &layer.attn_k, &layer.attn_v});
    const auto n_q = static_cast<std::size_t>(spec_.n_embd_q());
    const auto n_kv = static_cast<std::size_t>(spec_.n_embd_kv());
    const std::array products{Product{&layer.attn_q, scratch_.q, n_q},
                              Product{&layer.attn_k, scratch_.k, n_kv},
                              Product{&layer.attn_v, scratch_.v, n_kv}};
    multiply(pool_, table_, products, input);
    add_bias(layer.q_bias, scratch_.q, task.n_tokens);
    add_bias(layer.k_bias, scratch_.k, task.n_tokens);
    add_bias(layer.v_bias, scratch_.v, task.n_tokens);
    rotate_and_store(task);
    attend(task);

    const ActivationRows attended{scratch_.attended, n_q, scratch_.quantized_input,
                                  spec_.n_embd_q(), task.n_tokens};
    if (kernels::takes_quantized(layer.attn_output.type)) {
        for_each_token(task.n_tokens, [&](int t) {
            quantize_into(table_, attended, t, 0, spec_.n_embd_q() / kBlockValues,
                          scratch_.attended + static_cast<std::size_t>(t) * n_q);
        });
    }
    const std::array output{
        Product{&layer.attn_output, task.y, static_cast<std::size_t>(spec_.n_embd)}};
    multiply(pool_, table_, output, attended);
}

// A task is a tile of tokens, so that keys are turned into tiles a whole line at a time: written
// token by token they took 15 % of the prefill of a model with 32 key heads.
void CpuExecutor::rotate_and_store(const AttentionTask& task) {
    constexpr int kTile = kernels::kTileRows;
    const auto n_q = static_cast<std::size_t>(spec_.n_embd_q());
    const auto n_kv = static_cast<std::size_t>(spec_.n_embd_kv());
    const auto dim = static_cast<std::size_t>(spec_.head_dim);
    pool_.run((task.n_tokens + kTile - 1) / kTile, [&](int index, int) {
        const int first = index * kTile;
        const int n = std::min(kTile, task.n_tokens - first);
        for (int t = first; t < first + n; ++t) {
            const auto token = static_cast<std::size_t>(t);
            float* angles = scratch_.angles + token * static_cast<std::size_t>(spec_.rope_dim);
            if (task.layer == 0) {  // the same for all layers of a pass
                rope_.angles(task.position + t, angles);
            }
            rope_.rotate(angles, scratch_.q + token * n_q, spec_.n_head, spec_.head_dim);
            rope_.rotate(angles, scratch_.k + token * n_kv, spec_.n_head_kv, spec_.head_dim);
        }
        for (int head = 0; head < spec_.n_head_kv; ++head) {
            const std::size_t at =
                static_cast<std::size_t>(first) * n_kv + static_cast<std::size_t>(head) * dim;
            store_keys(task, head, first, n, scratch_.k + at);
            for (int t = 0; t < n; ++t) {
                table_.to_half(scratch_.v + at + static_cast<std::size_t>(t) * n_kv,
                               task.cache.values(task.layer, head) +
                                   static_cast<std::size_t>(task.position + first + t) * dim,
                               spec_.head_dim);
            }
        }
    });
}

// Keys of n <= 16 tokens from `first` on, rows n_embd_kv apart, to the cache and, unless the token
// is alone, in float to the batch's own tiles.
void CpuExecutor::store_keys(const AttentionTask& task, int head_kv, int first, int n,
                             const float* rows) {
    constexpr int kTile = kernels::kTileRows;
    const auto dim = static_cast<std::size_t>(spec_.head_dim);
    if (task.n_tokens == 1) {
        std::array<std::uint16_t, kernels::kMaxHeadDim> key;
        table_.to_half(rows, key.data(), spec_.head_dim);
        task.cache.store_key(task.layer, head_kv, task.position, key.data());
        return;
    }
    // Rows lie a power of two apart, in the same few sets of the cache: they are copied together
    // before they are read by column.
    alignas(64) std::array<float, kTile * kernels::kMaxHeadDim> together;
    alignas(64) std::array<std::uint16_t, kTile * kernels::kMaxHeadDim> halves;
    for (std::size_t t = 0; t < kTile; ++t) {
        if (static_cast<int>(t) < n) {
            std::memcpy(&together[t * dim], rows + t * static_cast<std::size_t>(spec_.n_embd_kv()),
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
    table_.to_half(tile, halves.data(), kTile * spec_.head_dim);
    task.cache.store_keys(task.layer, head_kv, task.position + first, n, halves.data());
}

float* CpuExecutor::batch_keys(int head_kv) {
    return scratch_.k_tiles + static_cast<std::size_t>(head_kv) *
                                  static_cast<std::size_t>(n_batch_padded_) *
                                  static_cast<std::size_t>(spec_.head_dim);
}

// A task is one key/value head and up to kAttentionQueries of the (token, query head) pairs that
// read it, so that every key loaded serves several queries. A token alone with a long past is cut
// into parts of it, so that more threads than heads have work; the cut depends on the past's
// length only, never on the number of threads.
void CpuExecutor::attend(const AttentionTask& task) {
    const int n_shared = spec_.n_head / spec_.n_head_kv;
    const int n_pairs = task.n_tokens * n_shared;
    const int n_groups = (n_pairs + kernels::kAttentionQueries - 1) / kernels::kAttentionQueries;
    const auto n_q = static_cast<std::size_t>(spec_.n_embd_q());
    const auto dim = static_cast<std::size_t>(spec_.head_dim);
    const float scale = 1.0F / std::sqrt(static_cast<float>(spec_.head_dim));
    // A token alone reads itself from the cache too: one run of positions instead of two.
    const bool alone = task.n_tokens == 1;
    const int n_cached = task.position + (alone ? 1 : 0);
    const ContextParts parts = alone ? ContextParts(n_cached) : ContextParts();
    pool_.run(spec_.n_head_kv * n_groups * parts.count, [&](int index, int) {
        const int part = index % parts.count;
        const int head_kv = index / parts.count % spec_.n_head_kv;
        const int first = index / parts.count / spec_.n_head_kv * kernels::kAttentionQueries;
        std::array<const float*, kernels::kAttentionQueries> q{};
        std::array<float*, kernels::kAttentionQueries> out{};
        std::array<int, kernels::kAttentionQueries> n_batch{};
        const int count = std::min(kernels::kAttentionQueries, n_pairs - first);
        for (int i = 0; i < count; ++i) {
            const int token = (first + i) / n_shared;
            const int head = head_kv * n_shared + (first + i) % n_shared;
            const std::size_t offset =
                static_cast<std::size_t>(token) * n_q + static_cast<std::size_t>(head) * dim;
            const auto slot = static_cast<std::size_t>(i);
            q[slot] = scratch_.q + offset;
            out[slot] = parts.count == 1 ? scratch_.attended + offset
                                         : scratch_.parts + part_index(part, head) * dim;
            n_batch[slot] = alone ? 0 : token + 1;
        }
        const std::size_t ends = part_index(part, head_kv * n_shared + first);
        const int from = part * parts.positions;
        kernels::Attention kernel{
            .q = q.data(),
            .out = out.data(),
            .largest = parts.count == 1 ? nullptr : scratch_.part_largest + ends,
            .total = parts.count == 1 ? nullptr : scratch_.part_total + ends,
            .n_queries = count,
            .head_dim = spec_.head_dim,
            .scale = scale,
            .n_cached = parts.count == 1 ? n_cached : std::min(parts.positions, n_cached - from),
            .k = task.cache.keys(task.layer, head_kv) + static_cast<std::size_t>(from) * dim,
            .v = task.cache.values(task.layer, head_kv) + static_cast<std::size_t>(from) * dim,
            .n_batch = n_batch.data(),
            .k_batch = batch_keys(head_kv),
            .v_batch = scratch_.v + static_cast<std::size_t>(head_kv) * dim,
            .v_batch_stride = static_cast<std::size_t>(spec_.n_embd_kv())};
        table_.attention(kernel);
    });
    if (parts.count > 1) {
        pool_.run(spec_.n_head, [&](int head, int) { join_parts(parts.count, head); });
    }
}

std::size_t CpuExecutor::part_index(int part, int head) const {
    return static_cast<std::size_t>(part) * static_cast<std::size_t>(spec_.n_head) +
           static_cast<std::size_t>(head);
}

// out = sum of e^(m_p - m) out_p / sum of e^(m_p - m) total_p with m the largest m_p, in the order
// of the parts.
void CpuExecutor::join_parts(int n_parts, int head) {
    const auto dim = static_cast<std::size_t>(spec_.head_dim);
    float largest = scratch_.part_largest[part_index(0, head)];
    for (int part = 1; part < n_parts; ++part) {
        largest = std::max(largest, scratch_.part_largest[part_index(part, head)]);
    }
    float* out = scratch_.attended + static_cast<std::size_t>(head) * dim;
    std::fill_n(out, dim, 0.0F);
    float total = 0;
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

// Gate, up and activation of a few neurons at a time, so that the block's hidden values are
// quantised while they are still in the cache.
void CpuExecutor::compute_cluster(const CpuLayer& layer, const ActivationRows& input,
                                  const ActivationRows& hidden, int n_tokens,
                                  const Cluster& cluster) {
    const bool quantize = kernels::takes_quantized(layer.ffn_down.type);
    const auto n_ff = static_cast<std::size_t>(spec_.n_ff);
    const int step = rows_per_task(cluster.count, pool_.n_threads(), kBlockValues);
    const int last = cluster.first + cluster.count;
    pool_.run((cluster.count + step - 1) / step, [&](int task, int) {
        const int first = cluster.first + task * step;
        const int end = std::min(last, first + step);
        multiply_rows(table_, layer.ffn_gate, input, first, end, scratch_.gate, n_ff);
        multiply_rows(table_, layer.ffn_up, input, first, end, scratch_.up, n_ff);
        for (int t = 0; t < n_tokens; ++t) {
            const std::size_t offset =
                static_cast<std::size_t>(t) * n_ff + static_cast<std::size_t>(first);
            float* gate = scratch_.gate + offset;
            const float* up = scratch_.up + offset;
            switch (spec_.activation) {
                case Activation::SiluGated:
                    table_.silu_mul(gate, up, gate, end - first);
                    break;
                case Activation::ReluGated:
                    table_.relu_mul(gate, up, gate, end - first);
                    break;
                case Activation::DRelu:
                    table_.drelu_mul(gate, up, gate, end - first);
                    break;
            }
            if (quantize) {
                quantize_into(table_, hidden, t, first / kBlockValues, (end - first) / kBlockValues,
                              gate);
            }
        }
    });
}

void CpuExecutor::feed_forward(const FeedForwardTask& task) {
    const CpuLayer& layer = weights_.layers[static_cast<std::size_t>(task.layer)];
    const ActivationRows input =
        normed_input(task.x, layer.ffn_norm, task.n_tokens, {&layer.ffn_gate, &layer.ffn_up});
    const auto n_ff = static_cast<std::size_t>(spec_.n_ff);
    const auto n_tokens = static_cast<std::size_t>(task.n_tokens);
    const ActivationRows hidden{scratch_.gate, n_ff, scratch_.quantized_hidden, spec_.n_ff,
                                task.n_tokens};
    int covered = 0;
    for (const Cluster& cluster : task.clusters) {
        covered += cluster.count;
    }
    if (covered != spec_.n_ff) {  // neurons of other executors add nothing here
        std::memset(scratch_.gate, 0, n_tokens * n_ff * sizeof(float));
        std::memset(scratch_.quantized_hidden, 0, quantized_bytes(spec_.n_ff, task.n_tokens));
    }
    for (const Cluster& cluster : task.clusters) {
        HEARTH_DCHECK(
            cluster.layer == task.layer && cluster.first % kBlockValues == 0 &&
            (cluster.count % kBlockValues == 0 || cluster.first + cluster.count == spec_.n_ff));
        compute_cluster(layer, input, hidden, task.n_tokens, cluster);
    }
    const std::array down{Product{&layer.ffn_down, task.y, static_cast<std::size_t>(spec_.n_embd)}};
    multiply(pool_, table_, down, hidden);
}

void CpuExecutor::output_head(const OutputTask& task) {
    const ActivationRows input =
        normed_input(task.x, weights_.output_norm, task.n_tokens, {&weights_.output});
    const std::array output{
        Product{&weights_.output, task.logits, static_cast<std::size_t>(spec_.n_vocab)}};
    multiply(pool_, table_, output, input);
}

void CpuExecutor::add(const float* x, float* y, int n_values) {
    constexpr int kStep = 16 * 1024;
    pool_.run((n_values + kStep - 1) / kStep, [&](int task, int) {
        const int first = task * kStep;
        table_.add(x + first, y + first, std::min(kStep, n_values - first));
    });
}

std::uint64_t CpuExecutor::decode_weight_bytes() const {
    std::uint64_t bytes = matrix_bytes(weights_.output);
    for (const CpuLayer& layer : weights_.layers) {
        for (const PackedMatrix* matrix :
             {&layer.attn_q, &layer.attn_k, &layer.attn_v, &layer.attn_output, &layer.ffn_gate,
              &layer.ffn_up, &layer.ffn_down}) {
            bytes += matrix_bytes(*matrix);
        }
    }
    return bytes;
}

}  // namespace hearth
