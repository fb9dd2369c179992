// A gated short convolution between its matrices.
#pragma once

#include "base/thread_pool.h"
#include "cpu/cpu_attention.h"
#include "cpu/cpu_short_conv.h"
#include "model/model_spec.h"

namespace hearth {

// Belongs to the engine's thread. Everything is done when a call returns. Allocates nothing.
class CpuGatedConv {
public:
    CpuGatedConv(const CpuShortConv& conv, ThreadPool& pool) : conv_(conv), pool_(pool) {}

    // Computes `attended` from q of the task's tokens, and takes the layer's state past them, or
    // keeps what it takes of each_alone ones. b in q becomes b * x.
    void run(const HeadsTask& task, const GatedConvSpec& of,
             const CpuAttention::Scratch& heads) const;
    // As Executor::take_ahead(), of a layer.
    void take_ahead(Past& past, int layer, const GatedConvSpec& of,
                    const Snapshots::Taking& tokens) const;

private:
    const CpuShortConv& conv_;
    ThreadPool& pool_;
};

}  // namespace hearth
