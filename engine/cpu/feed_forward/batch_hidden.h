// The hidden values of a batch: gate, up and activation of all neurons.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/assert.h"
#include "base/thread_pool.h"
#include "compute/activity.h"
#include "cpu/cpu_weights.h"
#include "cpu/feed_forward/scratch.h"
#include "cpu/feed_forward/task.h"
#include "cpu/kernels/kernels.h"
#include "cpu/matrix.h"
#include "model/model_spec.h"

namespace hearth {

// Computes a few neurons at a time, so that their hidden values are quantised while they are still
// in the cache. Whoever multiplies knows in which form the matrices lie. Belongs to the engine's
// thread.
class BatchHidden {
public:
    // spec must outlive this.
    BatchHidden(const kernels::KernelTable& table, ThreadPool& pool, const ModelSpec& spec,
                const HiddenScratch& scratch)
        : table_(table), pool_(pool), spec_(spec), scratch_(scratch) {}

    // Returns hidden values of the task's tokens, [n_tokens, layer.n_neurons], f(gate, up) of the
    // task's clusters and 0 of other neurons, in float and, if asked, quantised. They lie in the
    // scratch memory. Shows them to the observer, if there is one. normed: [n_tokens, n_embd], the
    // block's input. multiply(role, first, end, worker, y) must set y[t * n_neurons + n] for
    // neurons [first, end) of token t; first is a multiple of 32. It is called on any thread.
    template <class Multiply>
    ActivationRows compute(const FeedForwardTask& task, const CpuLayer& layer, const float* normed,
                           bool quantize, FeedForwardObserver* observer, Multiply&& multiply) const;

private:
    void clear_others(const FeedForwardTask& task, const CpuLayer& layer) const;
    void activate_part(const FeedForwardTask& task, const CpuLayer& layer, int first, int end,
                       const ActivationRows& hidden, bool quantize) const;
    void show(const FeedForwardTask& task, const CpuLayer& layer, const float* normed,
              FeedForwardObserver& observer) const;

    const kernels::KernelTable& table_;
    ThreadPool& pool_;
    const ModelSpec& spec_;
    HiddenScratch scratch_;
};

template <class Multiply>
ActivationRows BatchHidden::compute(const FeedForwardTask& task, const CpuLayer& layer,
                                    const float* normed, bool quantize,
                                    FeedForwardObserver* observer, Multiply&& multiply) const {
    const ActivationRows hidden{scratch_.gate, static_cast<std::size_t>(layer.n_neurons),
                                scratch_.quantized, layer.n_neurons, task.n_tokens};
    const LayerSpec& spec = spec_.layer(task.layer);
    const bool gated = is_gated(spec.activation);
    clear_others(task, layer);
    for (const Cluster& places : task.clusters) {
        HEARTH_DCHECK(
            places.layer == task.layer && places.first % kBlockValues == 0 &&
            (places.count % kBlockValues == 0 || places.first + places.count == spec.n_ff));
        const Cluster cluster = layer.own(places);
        const int step = rows_per_task(cluster.count, pool_.n_threads(), kBlockValues);
        const int last = cluster.first + cluster.count;
        pool_.run((cluster.count + step - 1) / step, [&](int part, int worker) {
            const int first = cluster.first + part * step;
            const int end = std::min(last, first + step);
            if (gated) {
                multiply(Role::Gate, first, end, worker, scratch_.gate);
            }
            multiply(Role::Up, first, end, worker, gated ? scratch_.up : scratch_.gate);
            activate_part(task, layer, first, end, hidden, quantize);
        });
    }
    if (observer != nullptr) {
        show(task, layer, normed, *observer);
    }
    return hidden;
}

}  // namespace hearth
