#include "cpu/cpu_feed_forward.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>

#include "base/assert.h"
#include "cpu/neuron_form.h"
#include "gguf/rows.h"

namespace hearth {
namespace {

using kernels::kRowGroup;

std::uint64_t matrix_bytes(const PackedMatrix& matrix) {
    return matrix.data == nullptr
               ? 0
               : row_bytes(matrix.type, static_cast<std::uint64_t>(matrix.cols)) *
                     static_cast<std::uint64_t>(matrix.rows);
}

// What is not zero of n values moves to the front, its place to index.
int keep_nonzero(float* values, std::uint16_t* index, int n) {
    int kept = 0;
    for (int i = 0; i < n; ++i) {
        const float value = values[i];
        values[kept] = value;
        index[kept] = static_cast<std::uint16_t>(i);
        kept += value != 0.0F ? 1 : 0;
    }
    return kept;
}

// The same of values whose places are in `index` already.
int keep_nonzero_of(float* values, std::uint16_t* index, int n) {
    int kept = 0;
    for (int i = 0; i < n; ++i) {
        const float value = values[i];
        values[kept] = value;
        index[kept] = index[i];
        kept += value != 0.0F ? 1 : 0;
    }
    return kept;
}

}  // namespace

void CpuFeedForward::set_up(const ModelSpec& spec, const ModelTensors& tensors,
                            const CpuWeights& weights, const Scratch& scratch) {
    spec_ = spec;
    predictor_input_ = tensors.predictor_input;
    predictor_linear_ = tensors.predictor_linear;
    scratch_ = scratch;
    activity_.assign(weights.layers.size(), {});
    for (std::size_t i = 0; i < weights.layers.size(); ++i) {
        const CpuLayer& layer = weights.layers[i];
        activity_[i].path = !layer.sparse                         ? FeedForwardMode::Dense
                            : layer.predictor_fc2.data != nullptr ? FeedForwardMode::Predicted
                                                                  : FeedForwardMode::Exact;
    }
}

void CpuFeedForward::reset_activity() {
    for (LayerActivity& layer : activity_) {
        layer = {.path = layer.path};
    }
}

void CpuFeedForward::run(const FeedForwardTask& task, const CpuLayer& layer,
                         const ActivationRows& input, FeedForwardObserver* observer) {
    if (task.n_tokens > 1 || observer != nullptr) {
        batch(task, layer, input, observer);
        return;
    }
    const auto start = std::chrono::steady_clock::now();
    if (layer.sparse) {
        one_token(task, layer, input);
    } else {
        batch(task, layer, input, nullptr);
    }
    LayerActivity& seen = activity_[static_cast<std::size_t>(task.layer)];
    seen.blocks += 1;
    seen.block_ns +=
        static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                       std::chrono::steady_clock::now() - start)
                                       .count());
}

std::uint64_t CpuFeedForward::decode_bytes(int layer, const CpuLayer& weights) const {
    const LayerActivity& seen = activity_[static_cast<std::size_t>(layer)];
    const CpuNeuronRows& rows = weights.neurons;
    const auto times = [&](std::uint64_t count, const CpuNeuronRows::Part& part) {
        return seen.tokens == 0 ? static_cast<std::uint64_t>(spec_.n_ff) * part.bytes
                                : count * part.bytes / seen.tokens;
    };
    return matrix_bytes(weights.ffn_gate) + matrix_bytes(weights.ffn_up) +
           matrix_bytes(weights.ffn_down) + matrix_bytes(weights.predictor_fc1) +
           matrix_bytes(weights.predictor_fc2) + times(seen.examined, rows.gate) +
           times(is_gated(spec_.activation) ? seen.opened : seen.examined, rows.up) +
           times(seen.fired, rows.down);
}

// ---- several tokens ----------------------------------------------------------------------------

void CpuFeedForward::batch(const FeedForwardTask& task, const CpuLayer& layer,
                           const ActivationRows& input, FeedForwardObserver* observer) {
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
    if (observer != nullptr) {
        observer->observed({task.layer, task.n_tokens, task.x, input.f32, scratch_.gate});
    }
    if (layer.ffn_down.data == nullptr) {
        add_down_rows(task, layer);
        return;
    }
    const std::array down{Product{&layer.ffn_down, task.y, static_cast<std::size_t>(spec_.n_embd)}};
    multiply(pool_, table_, down, hidden);
}

// Gate, up and activation of a few neurons at a time, so that the block's hidden values are
// quantised while they are still in the cache.
void CpuFeedForward::compute_cluster(const CpuLayer& layer, const ActivationRows& input,
                                     const ActivationRows& hidden, int n_tokens,
                                     const Cluster& cluster) {
    const bool quantize =
        layer.ffn_down.data != nullptr && kernels::takes_quantized(layer.ffn_down.type);
    const auto n_ff = static_cast<std::size_t>(spec_.n_ff);
    const int step = rows_per_task(cluster.count, pool_.n_threads(), kBlockValues);
    const int last = cluster.first + cluster.count;
    const bool gated = is_gated(spec_.activation);
    const auto multiply_all = [&](const PackedMatrix& tiles, const CpuNeuronRows::Part& part,
                                  int first, int end, int worker, float* y) {
        if (tiles.data != nullptr) {
            multiply_rows(table_, tiles, input, first, end, y, n_ff);
        } else {
            rows_times_batch(layer, part, input, first, end, worker, y);
        }
    };
    pool_.run((cluster.count + step - 1) / step, [&](int task, int worker) {
        const int first = cluster.first + task * step;
        const int end = std::min(last, first + step);
        if (gated) {
            multiply_all(layer.ffn_gate, layer.neurons.gate, first, end, worker, scratch_.gate);
        }
        multiply_all(layer.ffn_up, layer.neurons.up, first, end, worker,
                     gated ? scratch_.up : scratch_.gate);
        for (int t = 0; t < n_tokens; ++t) {
            const std::size_t offset =
                static_cast<std::size_t>(t) * n_ff + static_cast<std::size_t>(first);
            float* gate = scratch_.gate + offset;
            add_up_bias(layer, first, end, gate);
            activate(gate, scratch_.up + offset, end - first);
            if (quantize) {
                quantize_into(table_, hidden, t, first / kBlockValues, (end - first) / kBlockValues,
                              gate);
            }
        }
    });
}

// Ungated blocks only: up lies at `values`, from neuron `first` on.
void CpuFeedForward::add_up_bias(const CpuLayer& layer, int first, int end, float* values) const {
    if (!layer.up_bias.empty()) {
        table_.add(layer.up_bias.data() + first, values, end - first);
    }
}

// gate becomes f(gate, up); where there is no gate it holds up, and becomes f(up).
void CpuFeedForward::activate(float* gate, const float* up, int n) const {
    switch (spec_.activation) {
        case Activation::SiluGated:
            return table_.silu_mul(gate, up, gate, n);
        case Activation::ReluGated:
            for (int i = 0; i < n && spec_.relu_threshold > 0.0F; ++i) {
                gate[i] = gate[i] > spec_.relu_threshold ? gate[i] : 0.0F;
            }
            return table_.relu_mul(gate, up, gate, n);
        case Activation::DRelu:
            return table_.drelu_mul(gate, up, gate, n);
        case Activation::Relu:
            for (int i = 0; i < n; ++i) {
                gate[i] = gate[i] > 0.0F ? gate[i] : 0.0F;
            }
            return;
        case Activation::ReluSquared:
            for (int i = 0; i < n; ++i) {
                gate[i] = gate[i] > 0.0F ? gate[i] * gate[i] : 0.0F;
            }
            return;
        case Activation::Gelu:
            for (int i = 0; i < n; ++i) {
                constexpr float kRoot = 0.7978845608F;  // of 2 / pi
                const float x = gate[i];
                gate[i] = 0.5F * x * (1.0F + std::tanh(kRoot * (x + 0.044715F * x * x * x)));
            }
            return;
    }
}

// Rows [first, end) of a matrix that lies in rows, a tile at a time.
void CpuFeedForward::rows_times_batch(const CpuLayer& layer, const CpuNeuronRows::Part& part,
                                      const ActivationRows& input, int first, int end, int worker,
                                      float* y) {
    std::byte* tile = scratch_.tile + static_cast<std::size_t>(worker) * kernels::kTileRows *
                                          static_cast<std::size_t>(spec_.n_embd) * sizeof(float);
    for (int row = first; row < end; row += kernels::kTileRows) {
        const int n_rows = std::min(kernels::kTileRows, end - row);
        const std::size_t stride = layer.neurons.stride;
        row_form_to_tile(part.type,
                         layer.neurons.data + static_cast<std::size_t>(row) * stride + part.offset,
                         stride, n_rows, spec_.n_embd, tile);
        multiply_rows(table_, {part.type, n_rows, spec_.n_embd, tile}, input, 0, n_rows, y + row,
                      static_cast<std::size_t>(spec_.n_ff));
    }
}

// y[t] = sum of h times down's row over the neurons that fire for token t. A thread takes some
// columns of all neurons and tokens: kListNeurons rows' share of them stays in the first-level
// cache while every token passes over it.
void CpuFeedForward::add_down_rows(const FeedForwardTask& task, const CpuLayer& layer) {
    const auto n_ff = static_cast<std::size_t>(spec_.n_ff);
    const int n_lists = (spec_.n_ff + kListNeurons - 1) / kListNeurons;
    pool_.run(task.n_tokens, [&](int t, int) {
        float* values = scratch_.gate + static_cast<std::size_t>(t) * n_ff;
        std::uint16_t* index = scratch_.index + static_cast<std::size_t>(t) * n_ff;
        std::int32_t* counts = scratch_.counts + t * n_lists;
        for (int list = 0; list < n_lists; ++list) {
            const int first = list * kListNeurons;
            counts[list] = keep_nonzero(values + first, index + first,
                                        std::min(kListNeurons, spec_.n_ff - first));
        }
    });

    constexpr int kGroupsPerTask = 4;
    const int cols = kernels::row_form_cols(spec_.n_embd);
    const int n_groups = cols / kRowGroup;
    const CpuNeuronRows::Part& down = layer.neurons.down;
    const kernels::RowAddFunction add = kernels::rows_for(table_, down.type)->add;
    pool_.run((n_groups + kGroupsPerTask - 1) / kGroupsPerTask, [&](int part, int) {
        const int first_group = part * kGroupsPerTask;
        const int last_group = std::min(n_groups, first_group + kGroupsPerTask);
        for (int t = 0; t < task.n_tokens; ++t) {
            std::memset(
                scratch_.up + t * cols + first_group * kRowGroup, 0,
                static_cast<std::size_t>((last_group - first_group) * kRowGroup) * sizeof(float));
        }
        for (int list = 0; list < n_lists; ++list) {
            const auto first = static_cast<std::size_t>(list * kListNeurons);
            for (int t = 0; t < task.n_tokens; ++t) {
                const std::size_t at = static_cast<std::size_t>(t) * n_ff + first;
                add({layer.neurons.data + first * layer.neurons.stride + down.offset,
                     layer.neurons.stride, cols, scratch_.index + at,
                     scratch_.counts[t * n_lists + list], scratch_.gate + at, first_group,
                     last_group, scratch_.up + static_cast<std::size_t>(t * cols)});
            }
        }
        for (int t = 0; t < task.n_tokens; ++t) {
            const float* sums = scratch_.up + static_cast<std::size_t>(t * cols);
            float* y =
                task.y + static_cast<std::size_t>(t) * static_cast<std::size_t>(spec_.n_embd);
            for (int p = first_group * kRowGroup; p < last_group * kRowGroup; ++p) {
                const int column = kernels::accumulator_column(down.type, p);
                if (column < spec_.n_embd) {
                    y[column] = sums[p];
                }
            }
        }
    });
}

// ---- one token ---------------------------------------------------------------------------------

int CpuFeedForward::chunk_neurons() const {
    // Fewer neurons than this are done before handing them out has paid.
    constexpr int kLeastNeurons = 128;
    const int even = (spec_.n_ff + kChunks - 1) / kChunks;
    return (std::max(even, kLeastNeurons) + kBlockValues - 1) / kBlockValues * kBlockValues;
}

void CpuFeedForward::one_token(const FeedForwardTask& task, const CpuLayer& layer,
                               const ActivationRows& input) {
    prepare_row_input(input);
    if (layer.predictor_fc1.data != nullptr) {
        predict(task, layer, input);
    }
    const int n_chunks = (spec_.n_ff + chunk_neurons() - 1) / chunk_neurons();
    std::array<ChunkCounts, kChunks> counts;
    pool_.run(n_chunks, [&](int chunk, int) {
        counts[static_cast<std::size_t>(chunk)] = compute_chunk(task, layer, input, chunk);
    });
    LayerActivity& seen = activity_[static_cast<std::size_t>(task.layer)];
    seen.tokens += 1;
    seen.neurons += static_cast<std::uint64_t>(spec_.n_ff);
    for (int chunk = 0; chunk < n_chunks; ++chunk) {
        const ChunkCounts& count = counts[static_cast<std::size_t>(chunk)];
        seen.examined += static_cast<std::uint64_t>(count.examined);
        seen.opened += static_cast<std::uint64_t>(count.opened);
        seen.fired += static_cast<std::uint64_t>(count.fired);
    }
    if (profile_ != nullptr && task.layer == spec_.n_layer - 1 && !profile_->token_done()) {
        profile_ = nullptr;  // its counters are full
    }
    if (layer.ffn_down.data == nullptr) {
        join_chunks(layer, task.y);
        return;
    }
    const std::array down{Product{&layer.ffn_down, task.y, static_cast<std::size_t>(spec_.n_embd)}};
    multiply(pool_, table_, down,
             {scratch_.hidden, static_cast<std::size_t>(spec_.n_ff), scratch_.quantized_hidden,
              spec_.n_ff, 1});
}

// The input once more in the order row kernels read: all of q, then all scales.
void CpuFeedForward::prepare_row_input(const ActivationRows& input) {
    const int n_blocks = spec_.n_embd / kBlockValues;
    for (int b = 0; b < n_blocks && input.quantized != nullptr; ++b) {
        const std::byte* block =
            input.quantized + static_cast<std::size_t>(b) * kernels::activation_block_bytes(1);
        float d;
        std::int32_t offset;
        std::memcpy(scratch_.row_q + b * kBlockValues, block, kBlockValues);
        std::memcpy(&d, block + kBlockValues, sizeof d);
        std::memcpy(&offset, block + kBlockValues + sizeof d, sizeof offset);
        scratch_.row_d[b] = d;
        scratch_.row_offset[b] = d * static_cast<float>(offset);
    }
    std::memcpy(scratch_.row_f32, input.f32,
                static_cast<std::size_t>(spec_.n_embd) * sizeof(float));
}

void CpuFeedForward::predict(const FeedForwardTask& task, const CpuLayer& layer,
                             const ActivationRows& input) {
    ActivationRows from = input;
    if (predictor_input_ == PredictorInput::Residual) {
        from = {task.x, static_cast<std::size_t>(spec_.n_embd), scratch_.predictor_quantized,
                spec_.n_embd, 1};
        if (kernels::takes_quantized(layer.predictor_fc1.type)) {
            quantize_into(table_, from, 0, 0, spec_.n_embd / kBlockValues, task.x);
        }
    }
    const int width = layer.predictor_fc1.rows;
    const std::array product{
        Product{&layer.predictor_fc1, scratch_.predictor_hidden, static_cast<std::size_t>(width)}};
    multiply(pool_, table_, product, from);
    for (int i = 0; i < width && !predictor_linear_; ++i) {
        scratch_.predictor_hidden[i] = std::max(scratch_.predictor_hidden[i], 0.0F);
    }
    predictor_rows_ = {scratch_.predictor_hidden, static_cast<std::size_t>(width),
                       scratch_.predictor_quantized, width, 1};
    if (kernels::takes_quantized(layer.predictor_fc2.type)) {
        quantize_into(table_, predictor_rows_, 0, 0, width / kBlockValues,
                      scratch_.predictor_hidden);
    }
}

CpuFeedForward::ChunkCounts CpuFeedForward::compute_chunk(const FeedForwardTask& task,
                                                          const CpuLayer& layer,
                                                          const ActivationRows& input, int chunk) {
    const int first = chunk * chunk_neurons();
    const int end = std::min(spec_.n_ff, first + chunk_neurons());
    ChunkCounts counts;
    counts.opened = open_gates(task, layer, input, first, end, counts);
    counts.fired = fire(layer, first, counts.opened);
    const float* values = scratch_.gate + first;
    const std::uint16_t* index = scratch_.index + first;
    if (profile_ != nullptr) {
        const std::span<std::uint32_t> counters =
            profile_->fired(task.layer).subspan(static_cast<std::size_t>(first));
        for (int i = 0; i < counts.fired; ++i) {
            ++counters[index[i]];
        }
    }
    if (layer.ffn_down.data == nullptr) {
        const int cols = kernels::row_form_cols(spec_.n_embd);
        float* sums =
            scratch_.sums + static_cast<std::size_t>(chunk) * static_cast<std::size_t>(cols);
        std::memset(sums, 0, static_cast<std::size_t>(cols) * sizeof(float));
        const CpuNeuronRows::Part& down = layer.neurons.down;
        kernels::rows_for(table_, down.type)
            ->add({layer.neurons.data + static_cast<std::size_t>(first) * layer.neurons.stride +
                       down.offset,
                   layer.neurons.stride, cols, index, counts.fired, values, 0, cols / kRowGroup,
                   sums});
        return counts;
    }
    float* hidden = scratch_.hidden + first;
    std::memset(hidden, 0, static_cast<std::size_t>(end - first) * sizeof(float));
    for (int i = 0; i < counts.fired; ++i) {
        hidden[index[i]] = values[i];
    }
    if (kernels::takes_quantized(layer.ffn_down.type)) {
        quantize_into(table_,
                      {scratch_.hidden, static_cast<std::size_t>(spec_.n_ff),
                       scratch_.quantized_hidden, spec_.n_ff, 1},
                      0, first / kBlockValues, (end - first) / kBlockValues, hidden);
    }
    return counts;
}

// Leaves the open gates' values at scratch_.gate + first and their places, counted from `first`, at
// scratch_.index + first, in order; returns how many.
int CpuFeedForward::open_gates(const FeedForwardTask& task, const CpuLayer& layer,
                               const ActivationRows& input, int first, int end,
                               ChunkCounts& counts) {
    const bool gated = is_gated(spec_.activation);
    const bool predicted = layer.predictor_fc2.data != nullptr;
    const PackedMatrix& matrix =
        predicted ? layer.predictor_fc2 : (gated ? layer.ffn_gate : layer.ffn_up);
    const float threshold = predicted ? layer.predictor_threshold : spec_.relu_threshold;
    float* values = scratch_.gate + first;
    std::uint16_t* index = scratch_.index + first;
    int n = 0;
    for (const Cluster& cluster : task.clusters) {
        const int from = std::max(first, cluster.first);
        const int to = std::min(end, cluster.first + cluster.count);
        if (from >= to) {
            continue;
        }
        multiply_rows(table_, matrix, predicted ? predictor_rows_ : input, from, to, scratch_.gate,
                      static_cast<std::size_t>(spec_.n_ff));
        if (!predicted) {
            add_up_bias(layer, from, to, scratch_.gate + from);
        }
        for (int i = from - first; i < to - first; ++i) {
            const float value = values[i];
            values[n] = value;
            index[n] = static_cast<std::uint16_t>(i);
            // A score equal to the threshold counts as active, a gate equal to it as closed.
            n += (predicted ? value >= threshold : value > threshold) ? 1 : 0;
        }
        counts.examined += to - from;
    }
    if (!predicted) {
        return n;
    }
    counts.examined = n;
    multiply_part(layer, gated ? layer.neurons.gate : layer.neurons.up, first, n, values);
    for (int i = 0; i < n; ++i) {
        if (!layer.up_bias.empty()) {
            values[i] += layer.up_bias[static_cast<std::size_t>(first + index[i])];
        }
        values[i] = values[i] > spec_.relu_threshold ? values[i] : 0.0F;
    }
    return keep_nonzero_of(values, index, n);
}

// The open neurons' hidden values, those that are not 0 in front; returns how many.
int CpuFeedForward::fire(const CpuLayer& layer, int first, int n_open) {
    float* gate = scratch_.gate + first;
    float* up = scratch_.up + first;
    if (is_gated(spec_.activation)) {
        multiply_part(layer, layer.neurons.up, first, n_open, up);
    }
    activate(gate, up, n_open);
    return keep_nonzero_of(gate, scratch_.index + first, n_open);
}

// y[i] = the row of neuron first + index[first + i] times the input.
void CpuFeedForward::multiply_part(const CpuLayer& layer, const CpuNeuronRows::Part& part,
                                   int first, int n, float* y) {
    kernels::rows_for(table_, part.type)
        ->dot({layer.neurons.data + static_cast<std::size_t>(first) * layer.neurons.stride +
                   part.offset,
               layer.neurons.stride, kernels::row_form_cols(spec_.n_embd), scratch_.index + first,
               n, scratch_.row_f32, scratch_.row_q, scratch_.row_d, scratch_.row_offset, y});
}

// y = the chunks' sums, added in their order.
void CpuFeedForward::join_chunks(const CpuLayer& layer, float* y) {
    const int cols = kernels::row_form_cols(spec_.n_embd);
    const int n_chunks = (spec_.n_ff + chunk_neurons() - 1) / chunk_neurons();
    constexpr int kColumns = 4 * kRowGroup;
    pool_.run((cols + kColumns - 1) / kColumns, [&](int part, int) {
        const int first = part * kColumns;
        const int n = std::min(kColumns, cols - first);
        float* sums = scratch_.sums + first;
        for (int chunk = 1; chunk < n_chunks; ++chunk) {
            table_.add(sums + static_cast<std::size_t>(chunk * cols), sums, n);
        }
        for (int i = 0; i < n; ++i) {
            const int column = kernels::accumulator_column(layer.neurons.down.type, first + i);
            if (column < spec_.n_embd) {
                y[column] = sums[i];
            }
        }
    });
}

}  // namespace hearth
