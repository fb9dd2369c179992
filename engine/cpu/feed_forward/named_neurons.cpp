#include "cpu/feed_forward/named_neurons.h"

#include <algorithm>
#include <cstring>

#include "cpu/feed_forward/activate.h"

namespace hearth {

NamedNeurons::NamedNeurons(const kernels::KernelTable& table, ThreadPool& pool,
                           const ModelSpec& spec, const NeuronPredictor::Form& predictors,
                           const Scratch& scratch)
    : table_(table), spec_(spec), scratch_(scratch) {
    if (scratch.predictor) {
        predictor_.emplace(table, pool, spec.n_embd, predictors, *scratch.predictor);
    }
}

void NamedNeurons::begin(const FeedForwardTask& task, const CpuLayer& layer,
                         const ActivationRows& input) {
    if (layer.predicted && task.scores == nullptr) {
        predictor_->begin(task, layer, input);
    }
}

// Gates or scores of neurons [from, to), at their places.
void NamedNeurons::compute_values(const FeedForwardTask& task, const CpuLayer& layer,
                                  const ActivationRows& input, int from, int to) const {
    if (!layer.predicted) {
        const bool gated = is_gated(spec_.layer(task.layer).activation);
        multiply_rows(table_, layer.tiles[gated ? Role::Gate : Role::Up], input, from, to,
                      scratch_.values, static_cast<std::size_t>(layer.n_neurons));
        add_up_bias(table_, layer, from, to, scratch_.values + from);
    } else if (task.scores != nullptr) {
        std::memcpy(scratch_.values + from, task.scores + from,
                    static_cast<std::size_t>(to - from) * sizeof(float));
    } else {
        predictor_->score(layer, from, to, scratch_.values);
    }
}

int NamedNeurons::find(const FeedForwardTask& task, const CpuLayer& layer,
                       const ActivationRows& input, int first, int end, ChunkCounts& counts) const {
    const bool predicted = layer.predicted;
    const float threshold =
        predicted ? layer.predictor_threshold : spec_.layer(task.layer).relu_threshold;
    float* values = scratch_.values + first;
    std::uint16_t* index = scratch_.index + first;
    int n = 0;
    for (const Cluster& places : task.clusters) {
        const Cluster cluster = layer.own(places);
        const int from = std::max(first, cluster.first);
        const int to = std::min(end, cluster.first + cluster.count);
        if (from >= to) {
            continue;
        }
        compute_values(task, layer, input, from, to);
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

}  // namespace hearth
