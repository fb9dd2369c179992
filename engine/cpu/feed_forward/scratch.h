// Scratch memory that more than one path of the feed-forward block has.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "cpu/kernels/kernels.h"
#include "cpu/matrix.h"
#include "model/model_spec.h"

namespace hearth {

// The block's hidden values. Every path computes them here, since paths take turns.
struct HiddenScratch {
    float* gate = nullptr;           // [n_batch, n_ff]; gates, then hidden values
    float* up = nullptr;             // [n_batch, max(n_ff, neuron_row_cols(n_embd))]
    std::byte* quantized = nullptr;  // n_batch tokens of n_ff

    template <class Take>
    static void lay_out(const ModelSpec& spec, int n_batch, HiddenScratch& scratch, Take&& take) {
        const auto batch = static_cast<std::uint64_t>(n_batch);
        const int n_ff = spec.n_ff_max();
        const int widest = std::max(n_ff, kernels::neuron_row_cols(spec.n_embd));
        take(scratch.gate, batch * static_cast<std::uint64_t>(n_ff) * sizeof(float));
        take(scratch.up, batch * static_cast<std::uint64_t>(widest) * sizeof(float));
        take(scratch.quantized, quantized_bytes(n_ff, n_batch));
    }
};

// Memory of which each of the pool's threads has its own part.
struct ThreadMemory {
    std::byte* data = nullptr;  // [n_threads] of `bytes`
    std::uint64_t bytes = 0;    // of a thread

    std::byte* of(int worker) const { return data + static_cast<std::size_t>(worker) * bytes; }

    template <class Take>
    static void lay_out(std::uint64_t bytes, int n_threads, ThreadMemory& memory, Take&& take) {
        memory.bytes = bytes;
        take(memory.data, static_cast<std::uint64_t>(n_threads) * bytes);
    }
};

}  // namespace hearth
