// The work that tokens alone did in each layer's block, and its time.
#pragma once

#include <chrono>
#include <span>
#include <vector>

#include "compute/activity.h"
#include "cpu/cpu_weights.h"
#include "cpu/feed_forward/task.h"
#include "model/model_spec.h"

namespace hearth {

// Belongs to the engine's thread. Allocates in set_up() only.
class BlockActivity {
public:
    // layers: [n_layer], as they were loaded.
    void set_up(std::span<const CpuLayer> layers);

    // Adds what one token computed, if the task counts.
    void add(const FeedForwardTask& task, const LayerActivity& token);
    // Adds one block's time, whether its task counts or not.
    void add_time(int layer, std::chrono::steady_clock::duration time);
    void set_path(int layer, FeedForwardMode path);
    void reset();  // keeps the paths

    std::span<const LayerActivity> layers() const { return layers_; }
    const LayerActivity& layer(int layer) const { return layers_[static_cast<std::size_t>(layer)]; }

private:
    std::vector<LayerActivity> layers_;
};

// Bytes of the layer's feed-forward weights on this unit that one token reads, in the mean of the
// tokens of `seen`; if it has seen none, those of all neurons. experts: the layer's.
double decode_bytes(const LayerActivity& seen, const ModelSpec& spec, const ExpertsSpec& experts,
                    const CpuLayer& weights);

}  // namespace hearth
