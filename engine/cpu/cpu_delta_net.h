// A gated delta net between its matrices, with the short convolution before it.
#pragma once

#include <cstdint>
#include <span>
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
class CpuDeltaNet {
public:
    struct Scratch {
        float* mixed = nullptr;      // [n_batch, conv_width] behind the convolution
        float* key_scale = nullptr;  // [key_dim] as a norm's weight; likewise
        float* query_scale = nullptr;
        float* panels =
            nullptr;  // [n_threads, key_dim, kStatePanel] of states that stay as they are
    };
    // Calls take(pointer, bytes) for every buffer. None where no layer is a delta net.
    template <class Take>
    static void lay_out(const ModelSpec& spec, int n_batch, int n_threads, Scratch& scratch,
                        Take&& take);

    CpuDeltaNet(const kernels::KernelTable& table, const CpuShortConv& conv, ThreadPool& pool)
        : table_(table), conv_(conv), pool_(pool) {}

    // heads: q, k, v and attended are what run() reads and leaves.
    void set_up(const ModelSpec& spec, const Scratch& scratch, const CpuAttention::Scratch& heads);

    // Computes `attended` from q, k and v of the task's tokens, and takes the layer's state past
    // them, or keeps what it takes of each_alone ones. k and v are overwritten.
    void run(const HeadsTask& task, const CpuLayer& weights);
    // As Executor::take_ahead(), of a layer. Overwrites `attended`.
    void take_ahead(Past& past, int layer, const Snapshots::Taking& tokens);
    // Norms each head of `attended` and multiplies it with SiLU of the gate, [n_tokens, n_gate], or
    // with its sigmoid, as the layer has it.
    void finish(int layer, const CpuLayer& weights, const float* gate, int n_tokens);

private:
    const DeltaNetSpec& net(int layer) const {
        return layers_[static_cast<std::size_t>(layer)].delta_net;
    }
    void mix(const HeadsTask& task, const CpuLayer& weights, int head, int first, int count);
    void gates(const DeltaNetSpec& net, const CpuLayer& weights, int head, int first, int count);
    // The tokens' heads give this to the state.
    struct Inputs {
        const float* mixed;
        const float* decay;
        const float* beta;
    };
    void pass_panel(float* state, const DeltaNetSpec& of, const Inputs& inputs, int index,
                    int n_tokens) const;
    // A panel of the layer's states; index: of all panels of all heads.
    float* panel_of(Past& past, int layer, int index) const;
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
void CpuDeltaNet::lay_out(const ModelSpec& spec, int n_batch, int n_threads, Scratch& scratch,
                          Take&& take) {
    if (!spec.any(&LayerSpec::is_delta_net)) {
        return;
    }
    int channels = 0;
    int key_dim = 0;
    for (const LayerSpec& layer : spec.layers) {
        const DeltaNetSpec& net = layer.delta_net;
        channels = std::max(channels, net.conv_width());
        key_dim = std::max(key_dim, net.key_dim);
    }
    const auto bytes = [](int n) { return static_cast<std::uint64_t>(n) * sizeof(float); };
    take(scratch.mixed, static_cast<std::uint64_t>(n_batch) * bytes(channels));
    take(scratch.key_scale, bytes(key_dim));
    take(scratch.query_scale, bytes(key_dim));
    take(scratch.panels,
         static_cast<std::uint64_t>(n_threads) * bytes(key_dim * kernels::kStatePanel));
}

}  // namespace hearth
