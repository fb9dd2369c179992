// A layer of Mamba-2 between its matrices.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/thread_pool.h"
#include "cpu/cpu_attention.h"
#include "cpu/cpu_short_conv.h"
#include "cpu/cpu_weights.h"
#include "cpu/kernels/kernels.h"
#include "model/model_spec.h"

namespace hearth {

// Belongs to the engine's thread. Everything is done when a call returns. Allocates in set_up()
// only.
class CpuStateSpace {
public:
    struct Scratch {
        float* mixed = nullptr;  // [n_batch, conv_width] behind the convolution
    };
    // Calls take(pointer, bytes) for every buffer. None where no layer is of Mamba-2.
    template <class Take>
    static void lay_out(const ModelSpec& spec, int n_batch, Scratch& scratch, Take&& take);

    CpuStateSpace(const kernels::KernelTable& table, const CpuShortConv& conv, ThreadPool& pool)
        : table_(table), conv_(conv), pool_(pool) {}

    // heads: q, k, v and attended are what run() reads and leaves.
    void set_up(const ModelSpec& spec, const Scratch& scratch, const CpuAttention::Scratch& heads);

    // Computes `attended` from q and k of the task's tokens, and takes the layer's state past them.
    // k becomes dt, and v is overwritten.
    void run(const HeadsTask& task, const CpuLayer& weights);
    // Multiplies `attended` with SiLU of the gate, [n_tokens, n_gate], and norms each group.
    void finish(int layer, const CpuLayer& weights, const float* gate, int n_tokens);

private:
    const StateSpaceSpec& state_space(int layer) const {
        return layers_[static_cast<std::size_t>(layer)].state_space;
    }
    void mix(const HeadsTask& task, const CpuLayer& weights, int part, int first, int count);
    void steps(const StateSpaceSpec& of, const CpuLayer& weights, int token);
    void pass_panel(const HeadsTask& task, const CpuLayer& weights, int head, int panel);

    const kernels::KernelTable& table_;
    const CpuShortConv& conv_;
    ThreadPool& pool_;
    std::vector<LayerSpec> layers_;
    Scratch scratch_;
    CpuAttention::Scratch heads_;
};

template <class Take>
void CpuStateSpace::lay_out(const ModelSpec& spec, int n_batch, Scratch& scratch, Take&& take) {
    const int channels =
        spec.most([](const LayerSpec& layer) { return layer.state_space.conv_width(); });
    if (channels > 0) {
        take(scratch.mixed, static_cast<std::uint64_t>(n_batch) *
                                static_cast<std::uint64_t>(channels) * sizeof(float));
    }
}

}  // namespace hearth
