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
    struct Matrix {
        Role role;
        Weight source;
        Form form;
        std::uint64_t at;       // where it begins: in the block's own bytes
        bool streamed = false;  // or in the memory into which it is read in each pass
    };
    RowChoice neurons;             // their up bias stands first
    std::vector<Matrix> matrices;  // in their order
    bool two_forms = false;        // there is room for up in tiles where it lies in rows
    std::uint64_t bytes = 0;
    std::uint64_t streamed_bytes = 0;
    bool sparse = false;     // single tokens compute single neurons
    bool predicted = false;  // those a predictor names
};

// Tiles are the fastest way to compute all neurons, rows the only one to compute some. So the gate
// lies in tiles unless a predictor chooses its rows, and where up may be computed either way there
// is room for the larger of its forms, mostly the same number of bytes. What is streamed is laid
// out anew in each pass and has one form. gpu_predicts: the GPU has the predictor.
BlockLayout lay_out(const LayerSpec& spec, const LayerTensors& layer, FeedForwardMode mode,
                    const RowChoice& neurons, bool gpu_predicts,
                    const FlashPart::Roles& streamed = {});

// The jobs that fill the layout's matrices, those of the model's file or those of the predictors',
// streamed or not.
std::vector<WeightJob> jobs_of(const BlockLayout& block, bool predictors, bool streamed);

// Lets the layer's views point to the block's bytes at `base` and to those streamed to `slot`.
void set_views(const BlockLayout& block, const LayerTensors& tensors, std::byte* base,
               std::byte* slot, CpuLayer& layer);

}  // namespace hearth
