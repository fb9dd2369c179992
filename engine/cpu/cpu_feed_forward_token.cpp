// One token: the neurons that fire, or those of them that a predictor names; up of all where so
// many fire that leaving the others out would cost time.
#include "cpu/cpu_feed_forward.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "cpu/neuron_rows_to_tile.h"

namespace hearth {
namespace {

using kernels::kRowGroup;

constexpr int kWordBits = 32;
static_assert(kBlockValues % kWordBits == 0);

// Of n values, whose places are in index, those that are not zero move to the front, places too.
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

int CpuFeedForward::chunk_neurons(int n_neurons) {
    // Fewer neurons than this are done before handing them out has paid.
    constexpr int kLeastNeurons = 128;
    const int even = (n_neurons + kChunks - 1) / kChunks;
    return (std::max(even, kLeastNeurons) + kBlockValues - 1) / kBlockValues * kBlockValues;
}

void CpuFeedForward::one_token(const FeedForwardTask& task, const CpuLayer& layer,
                               const ActivationRows& input) {
    prepare_row_input(input);
    if (layer.predicted && task.scores == nullptr) {
        predict(task, layer, input);
    }
    const int step = chunk_neurons(layer.n_neurons);
    const int n_chunks = (layer.n_neurons + step - 1) / step;
    std::array<ChunkCounts, kChunks> counts;
    pool_.run(n_chunks, [&](int chunk, int) {
        counts[static_cast<std::size_t>(chunk)] = compute_chunk(task, layer, input, chunk);
    });
    note_chunks(task, layer, std::span(counts).first(static_cast<std::size_t>(n_chunks)));
    if (!layer.tiles[Role::Down].present()) {
        join_chunks(layer, task.y);
        return;
    }
    const std::array down{
        Product{&layer.tiles[Role::Down], task.y, static_cast<std::size_t>(spec_.n_embd)}};
    multiply(pool_, table_, down,
             {scratch_.hidden, static_cast<std::size_t>(layer.n_neurons), scratch_.quantized_hidden,
              layer.n_neurons, 1});
}

void CpuFeedForward::note_chunks(const FeedForwardTask& task, const CpuLayer& layer,
                                 std::span<const ChunkCounts> chunks) {
    LayerActivity token{.passed = 1, .tokens = 1};
    token.neurons = static_cast<std::uint64_t>(layer.n_neurons);
    for (const ChunkCounts& count : chunks) {
        token.examined += static_cast<std::uint64_t>(count.examined);
        token.opened += static_cast<std::uint64_t>(count.opened);
        token.fired += static_cast<std::uint64_t>(count.fired);
    }
    const bool all_of_up = layer.two_layouts && layer.tiles[Role::Up].present();
    token.computed = all_of_up ? token.neurons : token.opened;
    token.down_rows = !layer.tiles[Role::Down].present() ? token.fired : 0;
    note(task, token);
}

// Of a run's neurons, those whose places from its first one on are in `index`.
void CpuFeedForward::note_fired(int layer, int first, int end, const std::uint16_t* index,
                                int n_fired) {
    if (profile_ == nullptr) {
        return;
    }
    // Runs begin at whole words, so that no two threads share one.
    std::vector<std::uint32_t>& words = fired_[static_cast<std::size_t>(layer)];
    std::fill(words.begin() + first / kWordBits, words.begin() + (end + kWordBits - 1) / kWordBits,
              0U);
    for (int i = 0; i < n_fired; ++i) {
        const int neuron = first + index[i];
        words[static_cast<std::size_t>(neuron / kWordBits)] |= 1U << (neuron % kWordBits);
    }
}

void CpuFeedForward::count_firing(SelfProfile* profile, std::span<const CpuLayer> layers) {
    profile_ = profile;
    fired_.clear();
    for (std::size_t i = 0; profile != nullptr && i < layers.size(); ++i) {
        fired_.emplace_back(
            static_cast<std::size_t>((layers[i].n_neurons + kWordBits - 1) / kWordBits));
    }
}

void CpuFeedForward::count_token(std::span<const CpuLayer> layers) {
    for (std::size_t l = 0; l < layers.size(); ++l) {
        const std::span<std::uint32_t> counters = profile_->fired(static_cast<int>(l));
        for (std::size_t w = 0; w < fired_[l].size(); ++w) {
            for (std::uint32_t bits = fired_[l][w]; bits != 0; bits &= bits - 1) {
                const int neuron = static_cast<int>(w) * kWordBits + std::countr_zero(bits);
                ++counters[static_cast<std::size_t>(layers[l].number(neuron))];
            }
        }
    }
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
        if (takes_quantized(layer.tiles[Role::PredictorFc1].type)) {
            quantize_into(table_, from, 0, 0, spec_.n_embd / kBlockValues, task.x);
        }
    }
    const int width = layer.tiles[Role::PredictorFc1].rows;
    const std::array product{Product{&layer.tiles[Role::PredictorFc1], scratch_.predictor_hidden,
                                     static_cast<std::size_t>(width)}};
    multiply(pool_, table_, product, from);
    for (int i = 0; i < width && !predictor_linear_; ++i) {
        scratch_.predictor_hidden[i] = std::max(scratch_.predictor_hidden[i], 0.0F);
    }
    predictor_rows_ = {scratch_.predictor_hidden, static_cast<std::size_t>(width),
                       scratch_.predictor_quantized, width, 1};
    if (takes_quantized(layer.tiles[Role::PredictorFc2].type)) {
        quantize_into(table_, predictor_rows_, 0, 0, width / kBlockValues,
                      scratch_.predictor_hidden);
    }
}

CpuFeedForward::ChunkCounts CpuFeedForward::compute_chunk(const FeedForwardTask& task,
                                                          const CpuLayer& layer,
                                                          const ActivationRows& input, int chunk) {
    const int first = chunk * chunk_neurons(layer.n_neurons);
    const int end = std::min(layer.n_neurons, first + chunk_neurons(layer.n_neurons));
    ChunkCounts counts;
    counts.opened = open_gates(task, layer, input, first, end, counts);
    counts.fired = fire(spec_.layer(task.layer), layer, input, first, end, counts.opened);
    const float* values = scratch_.gate + first;
    const std::uint16_t* index = scratch_.index + first;
    note_fired(task.layer, first, end, index, counts.fired);
    if (!layer.tiles[Role::Down].present()) {
        const int cols = kernels::neuron_row_cols(spec_.n_embd);
        float* sums =
            scratch_.sums + static_cast<std::size_t>(chunk) * static_cast<std::size_t>(cols);
        std::memset(sums, 0, static_cast<std::size_t>(cols) * sizeof(float));
        const CpuRows& down = layer.rows[Role::Down];
        kernels_for(table_, down.type)
            .row_add({down.row(first), down.bytes, cols, index, counts.fired, values, 0,
                      cols / kRowGroup, sums});
        return counts;
    }
    float* hidden = scratch_.hidden + first;
    std::memset(hidden, 0, static_cast<std::size_t>(end - first) * sizeof(float));
    for (int i = 0; i < counts.fired; ++i) {
        hidden[index[i]] = values[i];
    }
    if (takes_quantized(layer.tiles[Role::Down].type)) {
        quantize_into(table_,
                      {scratch_.hidden, static_cast<std::size_t>(layer.n_neurons),
                       scratch_.quantized_hidden, layer.n_neurons, 1},
                      0, first / kBlockValues, (end - first) / kBlockValues, hidden);
    }
    return counts;
}

// Leaves what a neuron was named for, its open gate or its score, at scratch_.gate + first and
// their places, counted from `first`, at scratch_.index + first, in order; returns how many.
int CpuFeedForward::name_neurons(const FeedForwardTask& task, const CpuLayer& layer,
                                 const ActivationRows& input, int first, int end,
                                 ChunkCounts& counts) {
    const LayerSpec& spec = spec_.layer(task.layer);
    const bool gated = is_gated(spec.activation);
    const bool predicted = layer.predicted;
    const PackedMatrix& matrix = predicted
                                     ? layer.tiles[Role::PredictorFc2]
                                     : (gated ? layer.tiles[Role::Gate] : layer.tiles[Role::Up]);
    const float threshold = predicted ? layer.predictor_threshold : spec.relu_threshold;
    float* values = scratch_.gate + first;
    std::uint16_t* index = scratch_.index + first;
    int n = 0;
    for (const Cluster& places : task.clusters) {
        const Cluster cluster = layer.own(places);
        const int from = std::max(first, cluster.first);
        const int to = std::min(end, cluster.first + cluster.count);
        if (from >= to) {
            continue;
        }
        if (predicted && task.scores != nullptr) {
            std::memcpy(scratch_.gate + from, task.scores + from,
                        static_cast<std::size_t>(to - from) * sizeof(float));
        } else {
            multiply_rows(table_, matrix, predicted ? predictor_rows_ : input, from, to,
                          scratch_.gate, static_cast<std::size_t>(layer.n_neurons));
        }
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
    if (predicted) {
        counts.examined = n;
    }
    return n;
}

// Likewise, of open gates alone.
int CpuFeedForward::open_gates(const FeedForwardTask& task, const CpuLayer& layer,
                               const ActivationRows& input, int first, int end,
                               ChunkCounts& counts) {
    const int n = name_neurons(task, layer, input, first, end, counts);
    if (!layer.predicted) {
        return n;
    }
    const LayerSpec& spec = spec_.layer(task.layer);
    const bool gated = is_gated(spec.activation);
    float* values = scratch_.gate + first;
    std::uint16_t* index = scratch_.index + first;
    multiply_part(gated ? layer.rows[Role::Gate] : layer.rows[Role::Up], first, n, values);
    for (int i = 0; i < n; ++i) {
        if (!layer.vectors[Role::UpBias].empty()) {
            values[i] += layer.vectors[Role::UpBias][static_cast<std::size_t>(first + index[i])];
        }
        values[i] = values[i] > spec.relu_threshold ? values[i] : 0.0F;
    }
    return keep_nonzero_of(values, index, n);
}

// The open neurons' hidden values, those that are not 0 in front; returns how many.
int CpuFeedForward::fire(const LayerSpec& spec, const CpuLayer& layer, const ActivationRows& input,
                         int first, int end, int n_open) {
    float* gate = scratch_.gate + first;
    float* up = scratch_.up + first;
    if (n_open == 0) {
        return 0;
    }
    if (layer.two_layouts && layer.tiles[Role::Up].present()) {
        multiply_rows(table_, layer.tiles[Role::Up], input, first, end, scratch_.up,
                      static_cast<std::size_t>(layer.n_neurons));
        for (int i = 0; i < n_open; ++i) {
            up[i] = up[scratch_.index[first + i]];
        }
    } else if (is_gated(spec.activation)) {
        multiply_part(layer.rows[Role::Up], first, n_open, up);
    }
    activate(spec, gate, up, n_open);
    return keep_nonzero_of(gate, scratch_.index + first, n_open);
}

// y[i] = the row of neuron first + index[first + i] times the input.
void CpuFeedForward::multiply_part(const CpuRows& part, int first, int n, float* y) {
    kernels_for(table_, part.type)
        .row_dot({part.row(first), part.bytes, kernels::neuron_row_cols(spec_.n_embd),
                  scratch_.index + first, n, scratch_.row_f32, scratch_.row_q, scratch_.row_d,
                  scratch_.row_offset, y});
}

// y = the chunks' sums, added in their order.
void CpuFeedForward::join_chunks(const CpuLayer& layer, float* y) {
    const int cols = kernels::neuron_row_cols(spec_.n_embd);
    const int step = chunk_neurons(layer.n_neurons);
    const int n_chunks = (layer.n_neurons + step - 1) / step;
    const CodeKind codes = encoding_of(layer.rows[Role::Down].type).codes;
    constexpr int kColumns = 4 * kRowGroup;
    pool_.run((cols + kColumns - 1) / kColumns, [&](int part, int) {
        const int first = part * kColumns;
        const int n = std::min(kColumns, cols - first);
        float* sums = scratch_.sums + first;
        for (int chunk = 1; chunk < n_chunks; ++chunk) {
            table_.add_vector(sums + static_cast<std::size_t>(chunk * cols), sums, n);
        }
        for (int i = 0; i < n; ++i) {
            const int column = kernels::accumulator_column(codes, first + i);
            if (column < spec_.n_embd) {
                y[column] = sums[i];
            }
        }
    });
}

}  // namespace hearth
