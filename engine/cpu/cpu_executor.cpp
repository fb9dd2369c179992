#include "cpu/cpu_executor.h"

#include <algorithm>
#include <array>
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

std::uint64_t matrix_bytes(const PackedMatrix& matrix) {
    return packed_bytes(matrix.type, static_cast<std::uint64_t>(matrix.rows),
                        static_cast<std::uint64_t>(matrix.cols));
}

}  // namespace

CpuExecutor::CpuExecutor(const kernels::KernelTable& table, ThreadPool& pool)
    : table_(table),
      pool_(pool),
      name_(std::string("cpu/") + table.name),
      attention_(table, pool) {}

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
    CpuAttention::lay_out(spec, n_batch, scratch.attention, take);
    take(scratch.gate, floats(spec.n_ff));
    take(scratch.up, floats(spec.n_ff));
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
    auto weights = CpuWeights::load(slice, pool_, monitor);
    if (!weights) {
        return std::move(weights).error();
    }
    weights_ = std::move(*weights);
    attention_.set_up(spec_, Rope(spec_, weights_.rope_freqs), scratch_.attention,
                      slice.plan.n_batch);
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
    const std::array products{Product{&layer.attn_q, scratch_.attention.q, n_q},
                              Product{&layer.attn_k, scratch_.attention.k, n_kv},
                              Product{&layer.attn_v, scratch_.attention.v, n_kv}};
    multiply(pool_, table_, products, input);
    add_bias(layer.q_bias, scratch_.attention.q, task.n_tokens);
    add_bias(layer.k_bias, scratch_.attention.k, task.n_tokens);
    add_bias(layer.v_bias, scratch_.attention.v, task.n_tokens);
    attention_.run(task);

    const ActivationRows attended{scratch_.attention.attended, n_q, scratch_.quantized_input,
                                  spec_.n_embd_q(), task.n_tokens};
    if (kernels::takes_quantized(layer.attn_output.type)) {
        for_each_token(task.n_tokens, [&](int t) {
            quantize_into(table_, attended, t, 0, spec_.n_embd_q() / kBlockValues,
                          scratch_.attention.attended + static_cast<std::size_t>(t) * n_q);
        });
    }
    const std::array output{
        Product{&layer.attn_output, task.y, static_cast<std::size_t>(spec_.n_embd)}};
    multiply(pool_, table_, output, attended);
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
    if (observer_ != nullptr) {
        observer_->observed({task.layer, task.n_tokens, task.x, scratch_.normed, scratch_.gate});
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
