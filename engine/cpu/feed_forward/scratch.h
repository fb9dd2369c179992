// Scratch memory that more than one path of the feed-forward block has.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "cpu/kernels/kernels.h"
#include "cpu/matrix.h"
#include "model/model_spec.h"

namespace hearth {

// The block's hidden values. Every path computes them here, since paths take turns. A batch has
// those of the neurons that are computed at once, a single token those of all neurons.
struct HiddenScratch {
    float* gate = nullptr;           // [n_batch, n_ff]; gates, then hidden values
    float* up = nullptr;             // [n_batch, max(n_ff, neuron_row_cols(n_embd))]
    std::byte* quantized = nullptr;  // n_batch tokens of n_ff

    // A batch's values of so many columns, or a token's of n_ff_max() columns if that is more.
    static std::uint64_t values(const ModelSpec& spec, int n_batch, int cols) {
        return std::max(static_cast<std::uint64_t>(n_batch) * static_cast<std::uint64_t>(cols),
                        static_cast<std::uint64_t>(spec.n_ff_max()));
    }

    template <class Take>
    static void lay_out(const ModelSpec& spec, int n_batch, HiddenScratch& scratch, Take&& take) {
        const int n_ff = spec.n_ff_at_once_max();
        const int widest = std::max(n_ff, kernels::neuron_row_cols(spec.n_embd));
        take(scratch.gate, values(spec, n_batch, n_ff) * sizeof(float));
        take(scratch.up, values(spec, n_batch, widest) * sizeof(float));
        take(scratch.quantized,
             std::max(quantized_bytes(n_ff, n_batch), quantized_bytes(spec.n_ff_max(), 1)));
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
