// One token of a layer whose neurons are cached: what is here is computed while the others are
// read.
#pragma once

#include <cstdint>
#include <vector>

#include <hearth/result.h>

#include "base/thread_pool.h"
#include "compute/activity.h"
#include "cpu/cpu_weights.h"
#include "cpu/feed_forward/chunk_sums.h"
#include "cpu/feed_forward/firing_notes.h"
#include "cpu/feed_forward/named_neurons.h"
#include "cpu/feed_forward/neuron_chunks.h"
#include "cpu/feed_forward/row_input.h"
#include "cpu/feed_forward/task.h"
#include "cpu/kernels/kernels.h"
#include "cpu/matrix.h"
#include "model/model_spec.h"

namespace hearth {

// Each chunk of neurons goes through its stages by itself, without a barrier between matrices: its
// names are found (predictor or gate), and the cache pins the neurons that are here and begins to
// read the others; gate and up of those that are here; gate and up of those that were read, then
// down of all of them in their order. So the sums are those of a layer that is in RAM whole,
// whatever came when. (PowerInfer-2, section 4.3.)
//
// Belongs to the engine's thread. Everything is done when run() returns, which allocates nothing
// unless a read fails.
class CachedTokenPath {
public:
    struct Scratch {
        NamedNeurons::Scratch names;  // values: become hidden values
        float* gate = nullptr;        // [n_ff], of the neurons that are computed together
        float* up = nullptr;          // likewise
        ChunkSums::Scratch sums;
        RowInput::Scratch input;
    };

    // spec and fired must outlive this. Allocates.
    CachedTokenPath(const kernels::KernelTable& table, ThreadPool& pool, const ModelSpec& spec,
                    const NeuronPredictor::Form& predictors, FiringNotes& fired,
                    const Scratch& scratch);

    // Computes task.y and returns what the token computed. input: norm(task.x), in float and in the
    // forms that the layer's first matrices take. ReadFailed, BadFile. Precondition: layer.cold is
    // set.
    Result<LayerActivity> run(const FeedForwardTask& task, const CpuLayer& layer,
                              const ActivationRows& input);

private:
    struct Running;  // the task and its chunks
    enum class Neurons : std::uint8_t { Here, Read };

    void name(Running& running, int chunk);
    void compute_here(Running& running, int chunk);
    void finish(Running& running, int chunk);
    Result<void> arrange_read(const Running& running, int first, int n_names) const;
    void compute(const Running& running, int first, int n_names, Neurons which,
                 ChunkCounts& counts);
    int open_gates(const LayerSpec& spec, const CpuLayer& layer, int first, int n);
    int add_down(const Running& running, int chunk, int n_names);

    const kernels::KernelTable& table_;
    ThreadPool& pool_;
    const ModelSpec& spec_;
    FiringNotes& fired_;
    Scratch scratch_;
    NamedNeurons names_;
    RowInput input_;
    ChunkSums sums_;
    // [n_ff], a chunk's from its first neuron on: the slots of its names, and 1 for those that were
    // not here.
    std::vector<std::uint16_t> slots_;
    std::vector<std::uint8_t> read_;
    // [n_ff] likewise, of the neurons that are computed together: their slots, and their places
    // among the names.
    std::vector<std::uint16_t> rows_, places_;
};

}  // namespace hearth
