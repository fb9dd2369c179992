// One token, sparse: neurons that do not fire are left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/thread_pool.h"
#include "compute/activity.h"
#include "cpu/cpu_weights.h"
#include "cpu/feed_forward/batch_rows.h"
#include "cpu/feed_forward/chunk_sums.h"
#include "cpu/feed_forward/firing_notes.h"
#include "cpu/feed_forward/named_neurons.h"
#include "cpu/feed_forward/neuron_chunks.h"
#include "cpu/feed_forward/row_input.h"
#include "cpu/feed_forward/scratch.h"
#include "cpu/feed_forward/task.h"
#include "cpu/kernels/kernels.h"
#include "cpu/matrix.h"
#include "model/model_spec.h"
#include "plan/path_choice.h"

namespace hearth {

// Each chunk of neurons goes through gate, mask, up and down by itself: its gates in tiles (or
// those that a predictor names, in rows), up rows of the open ones, down rows of those that fire,
// added to the chunk's own sums. If up lies in tiles, all of a chunk's up is computed: that is the
// path Dense of a layer that also has the path Exact, and the other steps are the same.
// (PowerInfer-2, section 4.3, fuses the same steps of a neuron cluster.)
//
// Belongs to the engine's thread. Everything is done when a call returns. run() allocates nothing.
class TokenPath {
public:
    struct Scratch {
        NamedNeurons::Scratch names;            // values: become hidden values
        float* up = nullptr;                    // [n_ff]
        float* hidden = nullptr;                // [n_ff], for a down projection in tiles
        std::byte* quantized_hidden = nullptr;  // likewise, one token of n_ff
        ChunkSums::Scratch sums;
        RowInput::Scratch input;
        ThreadMemory unpacked;  // a tile of floats, for lay_up()
    };
    // batch: laid out already. This path has one token's part of its memory.
    template <class Take>
    static void lay_out(const ModelSpec& spec, int predictor_width, const BatchRows::Scratch& batch,
                        Scratch& scratch, Take&& take) {
        scratch.names.values = batch.hidden.gate;
        scratch.names.index = batch.index;
        scratch.up = batch.hidden.up;
        scratch.quantized_hidden = batch.hidden.quantized;
        scratch.unpacked = batch.unpacked;
        take(scratch.hidden, static_cast<std::uint64_t>(spec.n_ff_max()) * sizeof(float));
        ChunkSums::lay_out(spec, scratch.sums, take);
        RowInput::lay_out(spec, scratch.input, take);
        if (predictor_width > 0) {
            NeuronPredictor::lay_out(spec, predictor_width, scratch.names.predictor.emplace(),
                                     take);
        }
    }

    // spec and fired must outlive this.
    TokenPath(const kernels::KernelTable& table, ThreadPool& pool, const ModelSpec& spec,
              const NeuronPredictor::Form& predictors, FiringNotes& fired, const Scratch& scratch);

    // Computes task.y and returns what the token computed. input: norm(task.x), in float and in the
    // forms that the layer's first matrices take. Precondition: layer.sparse, and its neurons are
    // not cached.
    LayerActivity run(const FeedForwardTask& task, const CpuLayer& layer,
                      const ActivationRows& input);

    // As the executor's set_path() and measure_paths(). Precondition: layer.two_layouts.
    void lay_up(CpuLayer& layer, FeedForwardMode path);
    PathSpeeds measure_up(const CpuWeights& weights) const;

private:
    ChunkCounts compute_chunk(const FeedForwardTask& task, const CpuLayer& layer,
                              const ActivationRows& input, const NeuronChunks& chunks, int chunk);
    int open_gates(const FeedForwardTask& task, const CpuLayer& layer, const ActivationRows& input,
                   int first, int end, ChunkCounts& counts) const;
    int fire(const FeedForwardTask& task, const CpuLayer& layer, const ActivationRows& input,
             int first, int end, int n_open) const;
    ActivationRows hidden_of(const CpuLayer& layer) const;

    const kernels::KernelTable& table_;
    ThreadPool& pool_;
    const ModelSpec& spec_;
    FiringNotes& fired_;
    Scratch scratch_;
    NamedNeurons names_;
    RowInput input_;
    ChunkSums sums_;
};

}  // namespace hearth
