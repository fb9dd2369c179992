// The weights a CPU executor holds: one arena, laid out before anything is read.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <hearth/result.h>

#include "base/aligned_buffer.h"
#include "base/thread_pool.h"
#include "compute/executor.h"
#include "cpu/column_form.h"
#include "cpu/matrix.h"

namespace hearth {

// Rows of neurons in row form (kernels/neuron_rows.h): record i holds neuron i's.
struct CpuNeuronRows {
    struct Part {
        DType type = DType::F32;
        std::size_t offset = 0;  // in the record
        std::size_t bytes = 0;   // 0: this part is not here
        bool present() const { return bytes != 0; }
    };
    const std::byte* data = nullptr;
    std::size_t stride = 0;
    Part gate, up, down;
};

// Which form each matrix of a feed-forward block takes follows from what is to be computed of it:
// all of it (tiles), single neurons (rows), or all of it from some inputs (columns).
struct CpuLayer {
    std::span<const float> attn_norm, attn_norm_bias;
    std::span<const float> q_bias, k_bias, v_bias, output_bias;  // empty: none, as all biases
    std::span<const float> ffn_norm, ffn_norm_bias;
    std::span<const float> up_bias, down_bias;
    PackedMatrix attn_q, attn_k, attn_v, attn_output;
    PackedMatrix ffn_gate, ffn_up, ffn_down;  // no data: in `neurons`, or none
    CpuNeuronRows neurons;
    bool sparse = false;  // single tokens compute single neurons
    // No data: not by input. Otherwise gate, up and down lie nowhere else.
    ColumnMatrix gate_columns, up_columns, down_columns;
    float input_threshold = 0.0F;
    float hidden_threshold = 0.0F;
    PackedMatrix predictor_fc1, predictor_fc2;  // no data: the layer has none
    float predictor_threshold = 0.0F;
};

class CpuWeights {
public:
    // Whether the feed-forward matrices can be held by input: each is a tensor of its own, by
    // output, of a type that has a column form. Unsupported: names the tensor.
    static Result<void> can_lie_by_input(const ModelTensors& tensors);

    // What load() will take from the ledger, exactly.
    static std::uint64_t bytes_for(const ModelSpec& spec, const ModelTensors& tensors,
                                   FeedForwardMode mode);

    // Reads every tensor once, tile by tile, into its place: peak memory is the arena plus one
    // staging buffer a thread. Vectors become floats. OutOfMemory, ReadFailed, Cancelled.
    static Result<CpuWeights> load(const PlanSlice& slice, ThreadPool& pool, LoadMonitor& monitor);

    PackedMatrix token_embd;
    PackedMatrix output;         // token_embd itself when tied
    PackedMatrix position_embd;  // no data: there are no learned positions
    std::span<const float> output_norm, output_norm_bias;
    std::span<const float> rope_freqs;  // empty: none
    std::vector<CpuLayer> layers;

private:
    AlignedBuffer arena_;
};

}  // namespace hearth
