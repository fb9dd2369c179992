// Several tokens: whole products, and down rows of what fires where those are stored by neuron.
#include "cpu/cpu_feed_forward.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>

#include "base/assert.h"
#include "cpu/neuron_rows_to_tile.h"
#include "gguf/rows.h"

namespace hearth {
namespace {

using kernels::kRowGroup;

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

// From so many tokens on, a row is unpacked once for all instead of once for each it fires for.
constexpr int kWidenFrom = 16;

// The places of some groups of the rows from `part.rows` on as floats, each row after the other: a
// row that is added once to nothing.
void widen_rows(kernels::RowAddFunction function, kernels::RowAdd part, int n_rows, float* out) {
    static constexpr std::uint16_t kFirst = 0;
    static constexpr float kOnce = 1.0F;
    const int width = (part.last_group - part.first_group) * kRowGroup;
    std::memset(out, 0, static_cast<std::size_t>(n_rows * width) * sizeof(float));
    part.index = &kFirst;
    part.n = 1;
    part.a = &kOnce;
    for (int row = 0; row < n_rows; ++row) {
        part.y = out + row * width;
        function(part);
        part.rows += part.stride;
    }
}

}  // namespace

std::uint64_t CpuFeedForward::batch(const FeedForwardTask& task, const CpuLayer& layer,
                                    const ActivationRows& input, FeedForwardObserver* observer) {
    const auto n_neurons = static_cast<std::size_t>(layer.n_neurons);
    const auto n_tokens = static_cast<std::size_t>(task.n_tokens);
    const ActivationRows hidden{scratch_.gate, n_neurons, scratch_.quantized_hidden,
                                layer.n_neurons, task.n_tokens};
    int covered = 0;
    for (const Cluster& cluster : task.clusters) {
        covered += cluster.count;
    }
    if (covered != layer.n_neurons) {  // neurons that were not asked for add nothing
        std::memset(scratch_.gate, 0, n_tokens * n_neurons * sizeof(float));
        std::memset(scratch_.quantized_hidden, 0, quantized_bytes(layer.n_neurons, task.n_tokens));
    }
    for (const Cluster& cluster : task.clusters) {
        HEARTH_DCHECK(cluster.layer == task.layer && cluster.first % kBlockValues == 0 &&
                      (cluster.count % kBlockValues == 0 ||
                       cluster.first + cluster.count == spec_.layer(task.layer).n_ff));
        compute_cluster(layer, input, hidden, task.n_tokens, layer.own(cluster));
    }
    if (observer != nullptr) {
        HEARTH_ASSERT(layer.n_neurons == spec_.layer(task.layer).n_ff && layer.numbers.empty());
        observer->observed(
            {task.layer, task.n_tokens, task.x, input.f32, scratch_.gate, layer.n_neurons});
    }
    if (layer.by_input()) {
        const int step = rows_per_task(spec_.n_embd, pool_.n_threads(), kColumnTileRows);
        pool_.run((spec_.n_embd + step - 1) / step, [&](int part, int worker) {
            columns_times_batch(layer.columns[Role::Down], hidden, part * step,
                                std::min(spec_.n_embd, (part + 1) * step), worker, task.y,
                                static_cast<std::size_t>(spec_.n_embd));
        });
        return 0;
    }
    if (!layer.tiles[Role::Down].present()) {
        return add_down_rows(task, layer);
    }
    const std::array down{
        Product{&layer.tiles[Role::Down], task.y, static_cast<std::size_t>(spec_.n_embd)}};
    multiply(pool_, table_, down, hidden);
    return 0;
}

// Gate, up and activation of a few neurons at a time, so that the block's hidden values are
// quantised while they are still in the cache.
void CpuFeedForward::compute_cluster(const CpuLayer& layer, const ActivationRows& input,
                                     const ActivationRows& hidden, int n_tokens,
                                     const Cluster& cluster) {
    const bool quantize = layer.by_input() || (layer.tiles[Role::Down].present() &&
                                               takes_quantized(layer.tiles[Role::Down].type));
    const auto n_neurons = static_cast<std::size_t>(layer.n_neurons);
    const int step = rows_per_task(cluster.count, pool_.n_threads(), kBlockValues);
    const int last = cluster.first + cluster.count;
    const LayerSpec& spec = spec_.layer(cluster.layer);
    const bool gated = is_gated(spec.activation);
    const auto multiply_all = [&](Role role, int first, int end, int worker, float* y) {
        if (layer.by_input()) {
            columns_times_batch(layer.columns[role], input, first, end, worker, y, n_neurons);
        } else if (layer.tiles[role].present()) {
            multiply_rows(table_, layer.tiles[role], input, first, end, y, n_neurons);
        } else {
            rows_times_batch(layer, layer.rows[role], input, first, end, worker, y);
        }
    };
    pool_.run((cluster.count + step - 1) / step, [&](int task, int worker) {
        const int first = cluster.first + task * step;
        const int end = std::min(last, first + step);
        if (gated) {
            multiply_all(Role::Gate, first, end, worker, scratch_.gate);
        }
        multiply_all(Role::Up, first, end, worker, gated ? scratch_.up : scratch_.gate);
        for (int t = 0; t < n_tokens; ++t) {
            const std::size_t offset =
                static_cast<std::size_t>(t) * n_neurons + static_cast<std::size_t>(first);
            float* gate = scratch_.gate + offset;
            add_up_bias(layer, first, end, gate);
            activate(spec, gate, scratch_.up + offset, end - first);
            if (quantize) {
                quantize_into(table_, hidden, t, first / kBlockValues, (end - first) / kBlockValues,
                              gate);
            }
        }
    });
}

// Ungated blocks only: up lies at `values`, from neuron `first` on.
void CpuFeedForward::add_up_bias(const CpuLayer& layer, int first, int end, float* values) const {
    if (!layer.vectors[Role::UpBias].empty()) {
        table_.add_vector(layer.vectors[Role::UpBias].data() + first, values, end - first);
    }
}

// gate becomes f(gate, up); where there is no gate it holds up, and becomes f(up).
void CpuFeedForward::activate(const LayerSpec& spec, float* gate, const float* up, int n) const {
    switch (spec.activation) {
        case Activation::SiluGated:
            return table_.silu_mul(gate, up, gate, n);
        case Activation::GeluGated:
            return table_.gelu_mul(gate, up, gate, n);
        case Activation::ReluGated:
            for (int i = 0; i < n && spec.relu_threshold > 0.0F; ++i) {
                gate[i] = gate[i] > spec.relu_threshold ? gate[i] : 0.0F;
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

// Rows [first, end) of a matrix that lies in rows, as many tiles at a time as the scratch holds: it
// is made for one tile of floats, and every call reads all activations.
void CpuFeedForward::rows_times_batch(const CpuLayer& layer, const CpuRows& part,
                                      const ActivationRows& input, int first, int end, int worker,
                                      float* y) {
    const std::uint64_t room = tile_bytes(spec_);
    const std::size_t row_size = row_bytes(part.type, static_cast<std::uint64_t>(spec_.n_embd));
    std::byte* tiles = scratch_.tile + static_cast<std::size_t>(worker) * room;
    const int step = static_cast<int>(room / (row_size * kernels::kTileRows)) * kernels::kTileRows;
    for (int begin = first; begin < end; begin += step) {
        const int n_rows = std::min(step, end - begin);
        for (int row = 0; row < n_rows; row += kernels::kTileRows) {
            neuron_rows_to_tile(part.type, part.row(begin + row), part.bytes,
                                std::min(kernels::kTileRows, n_rows - row), spec_.n_embd,
                                tiles + static_cast<std::size_t>(row) * row_size);
        }
        multiply_rows(table_, {part.type, n_rows, spec_.n_embd, tiles}, input, 0, n_rows, y + begin,
                      static_cast<std::size_t>(layer.n_neurons));
    }
}

// y[t] = sum of h times down's row over the neurons that fire for token t. A thread takes some
// columns of all neurons and tokens: kListNeurons rows' share of them, unpacked, stays in the
// second-level cache while every token passes over it.
std::uint64_t CpuFeedForward::add_down_rows(const FeedForwardTask& task, const CpuLayer& layer) {
    const auto n_neurons = static_cast<std::size_t>(layer.n_neurons);
    const int n_lists = (layer.n_neurons + kListNeurons - 1) / kListNeurons;
    pool_.run(task.n_tokens, [&](int t, int) {
        float* values = scratch_.gate + static_cast<std::size_t>(t) * n_neurons;
        std::uint16_t* index = scratch_.index + static_cast<std::size_t>(t) * n_neurons;
        std::int32_t* counts = scratch_.counts + t * n_lists;
        for (int list = 0; list < n_lists; ++list) {
            const int first = list * kListNeurons;
            counts[list] = keep_nonzero(values + first, index + first,
                                        std::min(kListNeurons, layer.n_neurons - first));
        }
    });

    const int cols = kernels::neuron_row_cols(spec_.n_embd);
    const int n_groups = cols / kRowGroup;
    const CpuRows& down = layer.rows[Role::Down];
    const bool widen = task.n_tokens >= kWidenFrom && encoding_of(down.type).codes != CodeKind::F32;
    pool_.run((n_groups + kGroupsPerTask - 1) / kGroupsPerTask, [&](int part, int worker) {
        const int first_group = part * kGroupsPerTask;
        const int last_group = std::min(n_groups, first_group + kGroupsPerTask);
        const int width = (last_group - first_group) * kRowGroup;
        for (int t = 0; t < task.n_tokens; ++t) {
            std::memset(scratch_.up + t * cols + first_group * kRowGroup, 0,
                        static_cast<std::size_t>(width) * sizeof(float));
        }
        for (int list = 0; list < n_lists; ++list) {
            const auto first = static_cast<std::size_t>(list * kListNeurons);
            kernels::RowAdd add{.rows = down.row(list * kListNeurons),
                                .stride = down.bytes,
                                .cols = cols,
                                .index = nullptr,
                                .n = 0,
                                .a = nullptr,
                                .first_group = first_group,
                                .last_group = last_group,
                                .y = nullptr};
            kernels::RowAddFunction function = kernels_for(table_, down.type).row_add;
            if (widen) {
                auto* wide = reinterpret_cast<float*>(
                    scratch_.tile + static_cast<std::size_t>(worker) * tile_bytes(spec_));
                widen_rows(function, add,
                           std::min(kListNeurons, layer.n_neurons - list * kListNeurons), wide);
                function = table_.weights.at(CodeKind::F32, ScaleKind::None).row_add;
                add.rows = reinterpret_cast<const std::byte*>(wide);
                add.stride = static_cast<std::size_t>(width) * sizeof(float);
                add.cols = width;
                add.first_group = 0;
                add.last_group = last_group - first_group;
            }
            for (int t = 0; t < task.n_tokens; ++t) {
                const std::size_t at = static_cast<std::size_t>(t) * n_neurons + first;
                add.index = scratch_.index + at;
                add.n = scratch_.counts[t * n_lists + list];
                add.a = scratch_.gate + at;
                add.y = scratch_.up + t * cols + first_group * kRowGroup;
                function(add);
            }
        }
        for (int t = 0; t < task.n_tokens; ++t) {
            const CodeKind codes = encoding_of(down.type).codes;
            const float* sums = scratch_.up + static_cast<std::size_t>(t * cols);
            float* y =
                task.y + static_cast<std::size_t>(t) * static_cast<std::size_t>(spec_.n_embd);
            for (int p = first_group * kRowGroup; p < last_group * kRowGroup; ++p) {
                const int column = kernels::accumulator_column(codes, p);
                if (column < spec_.n_embd) {
                    y[column] = sums[p];
                }
            }
        }
    });
    return std::accumulate(scratch_.counts, scratch_.counts + n_lists, std::uint64_t{0});
}

}  // namespace hearth
