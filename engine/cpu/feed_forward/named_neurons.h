// Which neurons a token alone needs: those whose gate is open, or those that a predictor names.
#pragma once

#include <cstdint>
#include <optional>

#include "cpu/cpu_weights.h"
#include "cpu/feed_forward/neuron_chunks.h"
#include "cpu/feed_forward/neuron_predictor.h"
#include "cpu/feed_forward/task.h"
#include "cpu/kernels/kernels.h"
#include "cpu/matrix.h"
#include "model/model_spec.h"

namespace hearth {

class NamedNeurons {
public:
    struct Scratch {
        float* values = nullptr;         // [n_ff]
        std::uint16_t* index = nullptr;  // [n_ff]
        // Empty: the plan has no predictor. Then every task of a layer that is predicted has
        // scores.
        std::optional<NeuronPredictor::Scratch> predictor;
    };
    // spec must outlive this.
    NamedNeurons(const kernels::KernelTable& table, ThreadPool& pool, const ModelSpec& spec,
                 const NeuronPredictor::Form& predictors, const Scratch& scratch);

    // Before the first find() of a task. The engine's thread.
    void begin(const FeedForwardTask& task, const CpuLayer& layer, const ActivationRows& input);
    // Names neurons of [first, end), a chunk, and returns how many. In their order, values(first)
    // then has what they were named for, an open gate (of ungated blocks: up) or a score, and
    // index(first) their places from `first` on. Any thread, each chunk by one.
    int find(const FeedForwardTask& task, const CpuLayer& layer, const ActivationRows& input,
             int first, int end, ChunkCounts& counts) const;

    // A chunk's part, from its first neuron on, as long as the chunk. Whoever computes the chunk
    // may change it after find().
    float* values(int first) const { return scratch_.values + first; }
    std::uint16_t* index(int first) const { return scratch_.index + first; }

private:
    void compute_values(const FeedForwardTask& task, const CpuLayer& layer,
                        const ActivationRows& input, int from, int to) const;

    const kernels::KernelTable& table_;
    const ModelSpec& spec_;
    Scratch scratch_;
    std::optional<NeuronPredictor> predictor_;
};

}  // namespace hearth
