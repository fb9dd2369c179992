// The short convolution of a recurrent layer: each channel of a token with those of the tokens
// before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cpu/cpu_weights.h"
#include "cpu/kernels/kernels.h"
#include "model/model_spec.h"

namespace hearth {

// Belongs to the engine's thread; mix() and keep() may run on the pool's. Allocates in set_up()
// only.
class CpuShortConv {
public:
    struct Scratch {
        float* taps = nullptr;  // of each layer [conv_kernel, conv_width]
    };
    // Calls take(pointer, bytes) for every buffer. None where no layer is recurrent.
    template <class Take>
    static void lay_out(const ModelSpec& spec, Scratch& scratch, Take&& take);

    // The taps of a layer's channels. state: the latest inputs before those of the
    // pass, [conv_kernel - 1, conv_width].
    struct Inputs {
        const float* rows;   // of a token [conv_width]
        std::size_t stride;  // floats between tokens
        float* state;
    };
    // Channels [first, first + count).
    struct Channels {
        std::size_t first;
        int count;
    };

    explicit CpuShortConv(const kernels::KernelTable& table) : table_(table) {}

    void set_up(const ModelSpec& spec, const CpuWeights& weights, const Scratch& scratch);

    // Computes [channels.count] values of token t. gate: what they are multiplied with; null: they
    // go through SiLU, with the bias of the layer's channels where it has one.
    void mix(int layer, const Inputs& inputs, const Channels& channels, int t, const float* gate,
             float* y) const;
    // Copies rows of tokens, for a state that takes them later: [kMostAhead, conv_width].
    void put_ahead(int layer, const Inputs& inputs, const Channels& channels, int n_tokens,
                   float* rows) const;
    // Takes the state past the pass's tokens. Nobody may mix these channels meanwhile.
    void keep(int layer, const Inputs& inputs, const Channels& channels, int n_tokens) const;

private:
    const kernels::KernelTable& table_;
    std::vector<LayerSpec> layers_;
    std::vector<const float*> taps_;  // [n_layer], null: not here, or not recurrent
    std::vector<const float*> bias_;  // [n_layer], null: none
};

template <class Take>
void CpuShortConv::lay_out(const ModelSpec& spec, Scratch& scratch, Take&& take) {
    std::uint64_t taps = 0;
    for (const LayerSpec& layer : spec.layers) {
        taps += static_cast<std::uint64_t>(layer.conv_width()) *
                static_cast<std::uint64_t>(layer.conv_kernel());
    }
    if (taps > 0) {
        take(scratch.taps, taps * sizeof(float));
    }
}

}  // namespace hearth
