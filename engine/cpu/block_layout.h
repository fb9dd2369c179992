// What lies where of the neurons that the processor has of one feed-forward block.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu/cpu_weights.h"
#include "cpu/weight_job.h"
#include "model/weights.h"
#include "plan/plan.h"

namespace hearth {

// To whole cache lines.
std::uint64_t aligned(std::uint64_t bytes);
// Of a weight that is held whole: a matrix in tiles, a vector in floats.
std::uint64_t held_bytes(Role role, const Weight& weight);

struct BlockLayout {
    enum class Form { Tiles, Rows, Columns };
    // Held for good; read in each pass to the memory that parts share; neuron by neuron in the
    // slots of a cache.
    enum class Where { Resident, Streamed, Cached };
    struct Matrix {
        Role role;
        Weight source;
        Form form;
        std::uint64_t at;  // where it begins: in the block's own bytes, or in that memory or a slot
        Where where = Where::Resident;
    };
    RowChoice neurons;             // their up bias stands first
    std::vector<Matrix> matrices;  // in their order
    bool two_layouts = false;      // there is room for up in tiles where it lies in rows
    std::uint64_t bytes = 0;
    std::uint64_t streamed_bytes = 0;
    std::uint64_t slot_bytes = 0;  // of one neuron's rows; 0: none are cached
    bool sparse = false;           // single tokens compute single neurons
    bool predicted = false;        // those a predictor names
};

// Tiles are the fastest way to compute all neurons, rows the only one to compute some. So the gate
// lies in tiles unless a predictor chooses its rows, and where up may be computed either way there
// is room for the larger of its forms, mostly the same number of bytes. What is streamed is laid
// out anew in each pass and has one form. cached: what lies in rows lies in the slots of a cache,
// and gates in tiles come from their own matrix, where the file has one.
// gpu_predicts: the GPU has the predictor.
BlockLayout lay_out(const LayerSpec& spec, const LayerTensors& layer, FeedForwardMode mode,
                    const RowChoice& neurons, bool gpu_predicts,
                    const FlashPart::Roles& streamed = {}, bool cached = false);

// For a batch, which needs them all: what is cached or streamed is streamed, in the forms in which
// batches are computed fastest, and each byte of the file once. Precondition: neurons are cached.
BlockLayout lay_out_for_batch(const BlockLayout& block, const LayerTensors& layer);

// Whether single neurons of such a layer are computed by themselves, so that they can be cached.
bool can_be_cached(const LayerSpec& spec, const LayerTensors& layer, FeedForwardMode mode);

// The jobs that fill the layout's matrices of a place, which is not Cached; those of the model's
// file or those of the predictors'.
std::vector<WeightJob> jobs_of(const BlockLayout& block, bool predictors, BlockLayout::Where where);

// Lets the layer's views point to the block's bytes at `base` and to those streamed to `slot`;
// cached ones stay as they are.
void set_views(const BlockLayout& block, const LayerTensors& tensors, std::byte* base,
               std::byte* slot, CpuLayer& layer);

}  // namespace hearth
