// A recurrent layer between its matrices: the short convolution and the gated delta net.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "cpu/cpu_attention.h"
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
        float* taps = nullptr;       // of each layer [conv_kernel, conv_width]
        float* key_scale = nullptr;  // [key_dim] as a norm's weight; likewise
        float* query_scale = nullptr;
    };
    // Calls take(pointer, bytes) for every buffer. None where no layer is recurrent.
    template <class Take>
    static void lay_out(const ModelSpec& spec, int n_batch, Scratch& scratch, Take&& take);

    CpuDeltaNet(const kernels::KernelTable& table, ThreadPool& pool) : table_(table), pool_(pool) {}

    // heads: q, k, v and attended are what run() reads and leaves.
    void set_up(const ModelSpec& spec, const CpuWeights& weights, const Scratch& scratch,
                const CpuAttention::Scratch& heads);

    // Computes `attended` from q, k and v of the task's tokens, and takes the layer's state past
    // them. k and v are overwritten.
    void run(const HeadsTask& task, const CpuLayer& weights);
    // Norms each head of `attended` and multiplies it with SiLU of the gate, [n_tokens, n_gate].
    void finish(int layer, const CpuLayer& weights, const float* gate, int n_tokens);

private:
    const DeltaNetSpec& net(int layer) const {
        return layers_[static_cast<std::size_t>(layer)].delta_net;
    }
    void mix(const HeadsTask& task, const CpuLayer& weights, int head, int first, int count);
    void gates(const DeltaNetSpec& net, const CpuLayer& weights, int head, int first, int count);
    void pass_panel(const HeadsTask& task, int head, int panel);
    void keep_inputs(const HeadsTask& task);

    const kernels::KernelTable& table_;
    ThreadPool& pool_;
    std::vector<LayerSpec> layers_;
    std::vector<const float*> taps_;  // [n_layer], null: not here, or not recurrent
    Scratch scratch_;
    CpuAttention::Scratch heads_;
};

template <class Take>
void CpuDeltaNet::lay_out(const ModelSpec& spec, int n_batch, Scratch& scratch, Take&& take) {
    if (!spec.is_recurrent()) {
        return;
    }
    std::uint64_t taps = 0;
    int channels = 0;
    int key_dim = 0;
    for (const LayerSpec& layer : spec.layers) {
        const DeltaNetSpec& net = layer.delta_net;
        taps += static_cast<std::uint64_t>(net.conv_width()) *
                static_cast<std::uint64_t>(net.conv_kernel);
        channels = std::max(channels, net.conv_width());
        key_dim = std::max(key_dim, net.key_dim);
    }
    const auto bytes = [](int n) { return static_cast<std::uint64_t>(n) * sizeof(float); };
    take(scratch.mixed, static_cast<std::uint64_t>(n_batch) * bytes(channels));
    take(scratch.taps, taps * sizeof(float));
    take(scratch.key_scale, bytes(key_dim));
    take(scratch.query_scale, bytes(key_dim));
}

}  // namespace hearth
