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
        float* mixed = nullptr;   // [n_batch, conv_width] behind the convolution
        float* panels = nullptr;  // [n_threads, state_dim, kStatePanel] of states that stay
    };
    // Calls take(pointer, bytes) for every buffer. None where no layer is of Mamba-2.
    template <class Take>
    static void lay_out(const ModelSpec& spec, int n_batch, int n_threads, Scratch& scratch,
                        Take&& take);

    CpuStateSpace(const kernels::KernelTable& table, const CpuShortConv& conv, ThreadPool& pool)
        : table_(table), conv_(conv), pool_(pool) {}

    // heads: q, k, v and attended are what run() reads and leaves.
    void set_up(const ModelSpec& spec, const Scratch& scratch, const CpuAttention::Scratch& heads);

    // Computes `attended` from q and k of the task's tokens, and takes the layer's state past them,
    // or keeps what it takes of each_alone ones. k becomes dt, and v is overwritten.
    void run(const HeadsTask& task, const CpuLayer& weights);
    // As Executor::take_ahead(), of a layer. Overwrites `attended`.
    void take_ahead(Past& past, int layer, const Snapshots::Taking& tokens);
    // Multiplies `attended` with SiLU of the gate, [n_tokens, n_gate], and norms each group.
    void finish(int layer, const CpuLayer& weights, const float* gate, int n_tokens);

private:
    const StateSpaceSpec& state_space(int layer) const {
        return layers_[static_cast<std::size_t>(layer)].state_space;
    }
    void mix(const HeadsTask& task, const CpuLayer& weights, int part, int first, int count);
    void steps(const StateSpaceSpec& of, const CpuLayer& weights, int token);
    // The tokens' heads give this to the state.
    struct Inputs {
        const float* mixed;
        const float* decay;
        const float* steps;
    };
    // Panels of a head have 32 columns, the last one what is left of them.
    struct Panel {
        int head = 0, first = 0, columns = 0;
        std::size_t floats = 0;
        float* state = nullptr;
    };
    Panel panel_of(Past& past, int layer, int index) const;
    kernels::DeltaNet pass_panel(const Panel& panel, const StateSpaceSpec& of, const Inputs& inputs,
                                 int n_tokens) const;
    void add_skipped(const CpuLayer& weights, const Panel& panel,
                     const kernels::DeltaNet& pass) const;
    void put_ahead(const HeadsTask& task) const;
    CpuShortConv::Inputs inputs_of(const HeadsTask& task) const;

    const kernels::KernelTable& table_;
    const CpuShortConv& conv_;
    ThreadPool& pool_;
    std::vector<LayerSpec> layers_;
    Scratch scratch_;
    CpuAttention::Scratch heads_;
};

template <class Take>
void CpuStateSpace::lay_out(const ModelSpec& spec, int n_batch, int n_threads, Scratch& scratch,
                            Take&& take) {
    const int channels =
        spec.most([](const LayerSpec& layer) { return layer.state_space.conv_width(); });
    if (channels > 0) {
        take(scratch.mixed, static_cast<std::uint64_t>(n_batch) *
                                static_cast<std::uint64_t>(channels) * sizeof(float));
        const int keys =
            spec.most([](const LayerSpec& layer) { return layer.state_space.state_dim; });
        take(scratch.panels, static_cast<std::uint64_t>(n_threads) *
                                 static_cast<std::uint64_t>(keys * kernels::kStatePanel) *
                                 sizeof(float));
    }
}

}  // namespace hearth
