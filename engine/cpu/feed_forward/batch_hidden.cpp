#include "cpu/feed_forward/batch_hidden.h"

#include <cstring>

#include "cpu/feed_forward/activate.h"

namespace hearth {

// Neurons that were not asked for add nothing.
void BatchHidden::clear_others(const FeedForwardTask& task, const CpuLayer& layer) const {
    int covered = 0;
    for (const Cluster& cluster : task.clusters) {
        covered += cluster.count;
    }
    if (covered != layer.n_neurons) {
        std::memset(scratch_.gate, 0,
                    static_cast<std::size_t>(task.n_tokens) *
                        static_cast<std::size_t>(layer.n_neurons) * sizeof(float));
        std::memset(scratch_.quantized, 0, quantized_bytes(layer.n_neurons, task.n_tokens));
    }
}

void BatchHidden::activate_part(const FeedForwardTask& task, const CpuLayer& layer, int first,
                                int end, const ActivationRows& hidden, bool quantize) const {
    const LayerSpec& spec = spec_.layer(task.layer);
    for (int t = 0; t < task.n_tokens; ++t) {
        const std::size_t offset =
            static_cast<std::size_t>(t) * static_cast<std::size_t>(layer.n_neurons) +
            static_cast<std::size_t>(first);
        float* gate = scratch_.gate + offset;
        add_up_bias(table_, layer, first, end, gate);
        activate(table_, spec, gate, scratch_.up + offset, end - first);
        if (quantize) {
            quantize_into(table_, hidden, t, first / kBlockValues, (end - first) / kBlockValues,
                          gate);
        }
    }
}

void BatchHidden::show(const FeedForwardTask& task, const CpuLayer& layer, const float* normed,
                       FeedForwardObserver& observer) const {
    HEARTH_ASSERT(layer.n_neurons == spec_.layer(task.layer).n_ff && layer.numbers.empty());
    observer.observed({task.layer, task.n_tokens, task.x, normed, scratch_.gate, layer.n_neurons});
}

}  // namespace hearth
