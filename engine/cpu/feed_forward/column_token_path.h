// One token under thresholds: inputs and hidden values that are small are left out.
#pragma once

#include "base/thread_pool.h"
#include "compute/activity.h"
#include "cpu/cpu_weights.h"
#include "cpu/feed_forward/kept_inputs.h"
#include "cpu/feed_forward/scratch.h"
#include "cpu/feed_forward/task.h"
#include "cpu/kernels/kernels.h"
#include "cpu/matrix.h"
#include "model/model_spec.h"

namespace hearth {

// Gate and up are computed from the input's values above a threshold, and down from the hidden
// values above another (TEAL, arXiv 2408.14690).
//
// Belongs to the engine's thread. Everything is done when run() returns. Allocates nothing.
class ColumnTokenPath {
public:
    struct Scratch {
        HiddenScratch hidden;
        KeptInputs::Scratch inputs;
    };

    // spec must outlive this.
    ColumnTokenPath(const kernels::KernelTable& table, ThreadPool& pool, const ModelSpec& spec,
                    const Scratch& scratch)
        : table_(table),
          pool_(pool),
          spec_(spec),
          hidden_(scratch.hidden),
          kept_(table, pool, scratch.inputs) {}

    // Computes task.y and returns what the token computed. input: norm(task.x), in float and
    // quantised. Precondition: layer.by_input().
    LayerActivity run(const FeedForwardTask& task, const CpuLayer& layer,
                      const ActivationRows& input);

private:
    const kernels::KernelTable& table_;
    ThreadPool& pool_;
    const ModelSpec& spec_;
    HiddenScratch hidden_;
    KeptInputs kept_;
};

}  // namespace hearth
