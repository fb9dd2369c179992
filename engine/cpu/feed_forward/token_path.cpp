#include "cpu/feed_forward/token_path.h"

#include <array>
#include <cstring>

#include "cpu/feed_forward/activate.h"

namespace hearth {
namespace {

// Moves those of n values that are not zero to the front, and so their places in index; returns how
// many they are.
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

TokenPath::TokenPath(const kernels::KernelTable& table, ThreadPool& pool, const ModelSpec& spec,
                     const NeuronPredictor::Form& predictors, FiringNotes& fired,
                     const Scratch& scratch)
    : table_(table),
      pool_(pool),
      spec_(spec),
      fired_(fired),
      scratch_(scratch),
      names_(table, pool, spec, predictors, scratch.names),
      input_(table, spec.n_embd, scratch.input),
      sums_(table, pool, spec.n_embd, scratch.sums) {}

ActivationRows TokenPath::hidden_of(const CpuLayer& layer) const {
    return {scratch_.hidden, static_cast<std::size_t>(layer.n_neurons), scratch_.quantized_hidden,
            layer.n_neurons, 1};
}

LayerActivity TokenPath::run(const FeedForwardTask& task, const CpuLayer& layer,
                             const ActivationRows& input) {
    input_.set(input);
    names_.begin(task, layer, input);
    const NeuronChunks chunks = NeuronChunks::of(layer.n_neurons);
    std::array<ChunkCounts, NeuronChunks::kMost> counts;
    pool_.run(chunks.count, [&](int chunk, int) {
        counts[static_cast<std::size_t>(chunk)] = compute_chunk(task, layer, input, chunks, chunk);
    });
    if (!layer.tiles[Role::Down].present()) {
        sums_.join(layer.rows[Role::Down], chunks.count, task.y);
    } else {
        const std::array down{
            Product{&layer.tiles[Role::Down], task.y, static_cast<std::size_t>(spec_.n_embd)}};
        multiply(pool_, table_, down, hidden_of(layer));
    }
    return activity_of(layer, std::span(counts).first(static_cast<std::size_t>(chunks.count)));
}

ChunkCounts TokenPath::compute_chunk(const FeedForwardTask& task, const CpuLayer& layer,
                                     const ActivationRows& input, const NeuronChunks& chunks,
                                     int chunk) {
    const int first = chunks.first(chunk);
    const int end = chunks.end(chunk);
    ChunkCounts counts;
    counts.opened = open_gates(task, layer, input, first, end, counts);
    counts.fired = fire(task, layer, input, first, end, counts.opened);
    const float* values = names_.values(first);
    const std::uint16_t* index = names_.index(first);
    fired_.note(task.layer, first, end, index, counts.fired);
    if (!layer.tiles[Role::Down].present()) {
        sums_.set(chunk, layer.rows[Role::Down], first, index, counts.fired, values);
        return counts;
    }
    float* hidden = scratch_.hidden + first;
    std::memset(hidden, 0, static_cast<std::size_t>(end - first) * sizeof(float));
    for (int i = 0; i < counts.fired; ++i) {
        hidden[index[i]] = values[i];
    }
    if (takes_quantized(layer.tiles[Role::Down].type)) {
        quantize_into(table_, hidden_of(layer), 0, first / kBlockValues,
                      (end - first) / kBlockValues, hidden);
    }
    return counts;
}

// Leaves the chunk's open gates and their places where NamedNeurons::find() leaves names; returns
// how many there are.
int TokenPath::open_gates(const FeedForwardTask& task, const CpuLayer& layer,
                          const ActivationRows& input, int first, int end,
                          ChunkCounts& counts) const {
    const int n = names_.find(task, layer, input, first, end, counts);
    if (!layer.predicted) {
        return n;
    }
    const LayerSpec& spec = spec_.layer(task.layer);
    const bool gated = is_gated(spec.activation);
    float* values = names_.values(first);
    std::uint16_t* index = names_.index(first);
    input_.multiply(layer.rows[gated ? Role::Gate : Role::Up], first, index, n, values);
    for (int i = 0; i < n; ++i) {
        if (!layer.vectors[Role::UpBias].empty()) {
            values[i] += layer.vectors[Role::UpBias][static_cast<std::size_t>(first + index[i])];
        }
        values[i] = values[i] > spec.relu_threshold ? values[i] : 0.0F;
    }
    return keep_nonzero_of(values, index, n);
}

// The open neurons' hidden values take their gates' places, those that are not 0 in front; returns
// how many fire.
int TokenPath::fire(const FeedForwardTask& task, const CpuLayer& layer, const ActivationRows& input,
                    int first, int end, int n_open) const {
    if (n_open == 0) {
        return 0;
    }
    const LayerSpec& spec = spec_.layer(task.layer);
    float* gate = names_.values(first);
    std::uint16_t* index = names_.index(first);
    float* up = scratch_.up + first;
    if (layer.two_layouts && layer.tiles[Role::Up].present()) {
        multiply_rows(table_, layer.tiles[Role::Up], input, first, end, scratch_.up,
                      static_cast<std::size_t>(layer.n_neurons));
        for (int i = 0; i < n_open; ++i) {
            up[i] = up[index[i]];
        }
    } else if (is_gated(spec.activation)) {
        input_.multiply(layer.rows[Role::Up], first, index, n_open, up);
    }
    activate(table_, spec, gate, up, n_open);
    weigh_by_expert(
        task, spec, first, n_open, [&](int i) { return index[i]; }, gate);
    return keep_nonzero_of(gate, index, n_open);
}

}  // namespace hearth
