// Several tokens, or one for which no neuron is left out: whole products.
#pragma once

#include <optional>

#include "base/thread_pool.h"
#include "compute/activity.h"
#include "cpu/cpu_weights.h"
#include "cpu/feed_forward/batch_hidden.h"
#include "cpu/feed_forward/batch_rows.h"
#include "cpu/feed_forward/scratch.h"
#include "cpu/feed_forward/task.h"
#include "cpu/kernels/kernels.h"
#include "cpu/matrix.h"
#include "model/model_spec.h"

namespace hearth {

// Gate and up are whole products. So is down, unless it is stored by neuron: then the rows of the
// neurons that fire are added for each token.
//
// Belongs to the engine's thread. Everything is done when run() returns. Allocates nothing.
class BatchPath {
public:
    struct Scratch {
        HiddenScratch hidden;
        std::optional<BatchRows::Scratch> rows;  // empty: no matrix lies in rows of neurons
    };

    // spec must outlive this.
    BatchPath(const kernels::KernelTable& table, ThreadPool& pool, const ModelSpec& spec,
              const Scratch& scratch);

    // Computes task.y and returns what a token alone computed (of several tokens, the first).
    // input: norm(task.x), [n_tokens, n_embd], in float and in the forms that gate and up take.
    // observer: null, or who is shown the hidden values. Precondition: the layer does not lie by
    // input, and all its neurons are here.
    LayerActivity run(const FeedForwardTask& task, const CpuLayer& layer,
                      const ActivationRows& input, FeedForwardObserver* observer);

private:
    const kernels::KernelTable& table_;
    ThreadPool& pool_;
    int n_embd_;
    BatchHidden hidden_;
    std::optional<BatchRows> rows_;
};

}  // namespace hearth
