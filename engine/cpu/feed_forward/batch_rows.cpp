#include "cpu/feed_forward/batch_rows.h"

#include <cstring>
#include <numeric>

#include "cpu/neuron_rows_to_tile.h"
#include "gguf/rows.h"

namespace hearth {
namespace {

using kernels::kRowGroup;

// From so many tokens on, a row is unpacked once for all instead of once for each it fires for.
constexpr int kWidenFrom = 16;

// Moves those of n values that are not zero to the front and lists their places in index; returns
// how many they are.
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

// The rows become as many tiles at a time as the memory holds: it is made for one tile of floats,
// and every call of a kernel reads all activations.
void BatchRows::multiply(const CpuRows& part, const ActivationRows& input, int first, int end,
                         int worker, float* y, std::size_t y_stride) const {
    const std::size_t row_size = row_bytes(part.type, static_cast<std::uint64_t>(n_embd_));
    std::byte* tiles = scratch_.unpacked.of(worker);
    const int step = static_cast<int>(scratch_.unpacked.bytes / (row_size * kernels::kTileRows)) *
                     kernels::kTileRows;
    for (int begin = first; begin < end; begin += step) {
        const int n_rows = std::min(step, end - begin);
        for (int row = 0; row < n_rows; row += kernels::kTileRows) {
            neuron_rows_to_tile(part.type, part.row(begin + row), part.bytes,
                                std::min(kernels::kTileRows, n_rows - row), n_embd_,
                                tiles + static_cast<std::size_t>(row) * row_size);
        }
        multiply_rows(table_, {part.type, n_rows, n_embd_, tiles}, input, 0, n_rows, y + begin,
                      y_stride);
    }
}

int BatchRows::n_lists(const CpuLayer& layer) {
    return (layer.n_neurons + kListNeurons - 1) / kListNeurons;
}

// A thread takes some columns of all neurons and tokens: kListNeurons rows' share of them,
// unpacked, stays in the second-level cache while every token passes over it.
std::uint64_t BatchRows::add_down(const FeedForwardTask& task, const CpuLayer& layer) const {
    pool_.run(task.n_tokens, [&](int t, int) { list_firing(layer, t); });
    const int n_groups = kernels::neuron_row_cols(n_embd_) / kRowGroup;
    pool_.run((n_groups + kGroupsPerTask - 1) / kGroupsPerTask, [&](int part, int worker) {
        const int first_group = part * kGroupsPerTask;
        add_groups(task, layer, first_group, std::min(n_groups, first_group + kGroupsPerTask),
                   worker);
    });
    return std::accumulate(scratch_.counts, scratch_.counts + n_lists(layer), std::uint64_t{0});
}

// In each run of kListNeurons neurons the token's hidden values that are not 0 move to the front.
void BatchRows::list_firing(const CpuLayer& layer, int token) const {
    const std::size_t at =
        static_cast<std::size_t>(token) * static_cast<std::size_t>(layer.n_neurons);
    float* values = scratch_.hidden.gate + at;
    std::uint16_t* index = scratch_.index + at;
    const int lists = n_lists(layer);
    std::int32_t* counts = scratch_.counts + token * lists;
    for (int list = 0; list < lists; ++list) {
        const int first = list * kListNeurons;
        counts[list] = keep_nonzero(values + first, index + first,
                                    std::min(kListNeurons, layer.n_neurons - first));
    }
}

// The columns of some groups of all tokens. Their sums take the place of up.
void BatchRows::add_groups(const FeedForwardTask& task, const CpuLayer& layer, int first_group,
                           int last_group, int worker) const {
    const auto n_neurons = static_cast<std::size_t>(layer.n_neurons);
    const CpuRows& down = layer.rows[Role::Down];
    const CodeKind codes = encoding_of(down.type).codes;
    const bool widen = task.n_tokens >= kWidenFrom && codes != CodeKind::F32;
    const int cols = kernels::neuron_row_cols(n_embd_);
    const int width = (last_group - first_group) * kRowGroup;
    const int lists = n_lists(layer);
    for (int t = 0; t < task.n_tokens; ++t) {
        std::memset(scratch_.hidden.up + t * cols + first_group * kRowGroup, 0,
                    static_cast<std::size_t>(width) * sizeof(float));
    }
    for (int list = 0; list < lists; ++list) {
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
            auto* wide = reinterpret_cast<float*>(scratch_.unpacked.of(worker));
            widen_rows(function, add, std::min(kListNeurons, layer.n_neurons - list * kListNeurons),
                       wide);
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
            add.n = scratch_.counts[t * lists + list];
            add.a = scratch_.hidden.gate + at;
            add.y = scratch_.hidden.up + t * cols + first_group * kRowGroup;
            function(add);
        }
    }
    for (int t = 0; t < task.n_tokens; ++t) {
        const float* sums = scratch_.hidden.up + static_cast<std::size_t>(t * cols);
        float* y = task.y + static_cast<std::size_t>(t) * static_cast<std::size_t>(n_embd_);
        for (int p = first_group * kRowGroup; p < last_group * kRowGroup; ++p) {
            const int column = kernels::accumulator_column(codes, p);
            if (column < n_embd_) {
                y[column] = sums[p];
            }
        }
    }
}

}  // namespace hearth
