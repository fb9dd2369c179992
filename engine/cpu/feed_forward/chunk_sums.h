// The down projection of one token from rows of neurons: a chunk's own sums, and their join.
#pragma once

#include <cstdint>

#include "base/thread_pool.h"
#include "cpu/cpu_weights.h"
#include "cpu/feed_forward/neuron_chunks.h"
#include "cpu/kernels/kernels.h"
#include "model/model_spec.h"

namespace hearth {

class ChunkSums {
public:
    struct Scratch {
        float* sums = nullptr;  // [NeuronChunks::kMost, neuron_row_cols(n_embd)]
    };
    template <class Take>
    static void lay_out(const ModelSpec& spec, Scratch& scratch, Take&& take) {
        take(scratch.sums, NeuronChunks::kMost *
                               static_cast<std::uint64_t>(kernels::neuron_row_cols(spec.n_embd)) *
                               sizeof(float));
    }

    ChunkSums(const kernels::KernelTable& table, ThreadPool& pool, int n_embd,
              const Scratch& scratch)
        : table_(table), pool_(pool), n_embd_(n_embd), scratch_(scratch) {}

    // The chunk's sums become the sum over i < n, in this order, of values[i] times row
    // first + index[i] of `down`. Any thread, each chunk by one.
    void set(int chunk, const CpuRows& down, int first, const std::uint16_t* index, int n,
             const float* values) const;
    // y, [n_embd], becomes the sum of the chunks' sums in their order. The sums are spent then. The
    // engine's thread.
    void join(const CpuRows& down, int n_chunks, float* y) const;

private:
    const kernels::KernelTable& table_;
    ThreadPool& pool_;
    int n_embd_;
    Scratch scratch_;
};

}  // namespace hearth
