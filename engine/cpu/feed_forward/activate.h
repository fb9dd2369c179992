// The activation function of a feed-forward block.
#pragma once

#include "cpu/cpu_weights.h"
#include "cpu/feed_forward/task.h"
#include "cpu/kernels/kernels.h"
#include "model/model_spec.h"

namespace hearth {

// gate becomes f(gate, up), [n] each. In ungated blocks it holds up and becomes f(up): `up` may
// then hold anything. Any thread.
void activate(const kernels::KernelTable& table, const LayerSpec& spec, float* gate,
              const float* up, int n);

// Adds up's bias, where the layer has one, to what neurons [first, end) have at `up`, [end -
// first]. Only ungated blocks have one. Any thread.
void add_up_bias(const kernels::KernelTable& table, const CpuLayer& layer, int first, int end,
                 float* up);

// Multiplies n hidden values with the task's weights of their neurons' experts, if it has any:
// value i is that of neuron first + index(i).
template <class Index>
void weigh_by_expert(const FeedForwardTask& task, const LayerSpec& spec, int first, int n,
                     Index&& index, float* values) {
    for (int i = 0; task.expert_weights != nullptr && i < n; ++i) {
        values[i] *= task.expert_weights[(first + index(i)) / spec.experts.n_ff];
    }
}

}  // namespace hearth
