// The weights a CPU executor holds: one arena, laid out before anything is read.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <hearth/result.h>

#include "base/aligned_buffer.h"
#include "base/thread_pool.h"
#include "compute/executor.h"
#include "cpu/matrix.h"

namespace hearth {

struct CpuLayer {
    std::span<const float> attn_norm;
    std::span<const float> q_bias, k_bias, v_bias;  // empty: none
    std::span<const float> ffn_norm;
    PackedMatrix attn_q, attn_k, attn_v, attn_output;
    PackedMatrix ffn_gate, ffn_up, ffn_down;
};

class CpuWeights {
public:
    // What load() will take from the ledger, exactly.
    static std::uint64_t bytes_for(const ModelTensors& tensors);

    // Reads every tensor once, tile by tile, into its packed place: peak memory is the arena plus
    // one staging buffer a thread. Vectors become floats. OutOfMemory, ReadFailed, Cancelled.
    static Result<CpuWeights> load(const PlanSlice& slice, ThreadPool& pool, LoadMonitor& monitor);

    PackedMatrix token_embd;
    PackedMatrix output;  // token_embd itself when tied
    std::span<const float> output_norm;
    std::span<const float> rope_freqs;  // empty: none
    std::vector<CpuLayer> layers;

private:
    AlignedBuffer arena_;
};

}  // namespace hearth
