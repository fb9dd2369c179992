// How the neurons of one token are shared out among the threads.
#pragma once

#include <algorithm>
#include <span>

#include "compute/activity.h"
#include "cpu/cpu_weights.h"

namespace hearth {

// Cuts a layer's neurons into at most kMost chunks of whole blocks, by their number alone. A chunk
// goes through all matrices by itself and adds to sums of its own, so that the result does not
// depend on which thread computed what.
struct NeuronChunks {
    static constexpr int kMost = 32;
    static NeuronChunks of(int n_neurons);

    int first(int chunk) const { return chunk * step; }
    int end(int chunk) const { return std::min(n_neurons, first(chunk) + step); }

    int n_neurons;
    int step;  // neurons of every chunk but the last
    int count;
};

// Neurons of a chunk; LayerActivity says what each number means.
struct ChunkCounts {
    int examined = 0, opened = 0, fired = 0;
};

// The activity of one token that computed the layer chunk by chunk.
LayerActivity activity_of(const CpuLayer& layer, std::span<const ChunkCounts> chunks);

}  // namespace hearth
