// What the GPU notes about its neurons while it computes single tokens: which of them fire, and how
// many it examined. The notes stay on the GPU until somebody asks.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <hearth/result.h>

#include "compute/activity.h"
#include "model/model_spec.h"
#include "plan/plan.h"
#include "plan/self_profile.h"
#include "vulkan/buffers.h"
#include "vulkan/gpu_weights.h"

namespace hearth::vulkan {

// The GPU notes a token beside the sums, and adds it to them when the next token begins: what
// became of the token before is known only then.
class NeuronCounts {
public:
    // What it reads must outlive it.
    struct Model {
        const ModelSpec& spec;
        const GpuWeights& weights;
        const Buffers& buffers;
        FeedForwardMode mode;
    };
    // Copies a view to the beginning of buffers.scores, which only a pass uses, and waits for it.
    using Fetch = std::function<Result<void>(const BufferView& from)>;

    NeuronCounts(const Model& model, Fetch fetch);

    // COUNTING_* for firing and for activity, which the next token's pass reads. Call it once.
    std::array<std::uint32_t, 2> begin_token();
    // The latest token is part of activity().
    void add_token() { activity_.add_latest(); }
    // The latest token counts as firing.
    void count_token();

    // As the executor's, between passes.
    Result<void> collect_firing(const Placement& placement, SelfProfile& profile);
    Result<std::span<const LayerActivity>> activity();
    // As activity() gave it last.
    std::span<const LayerActivity> latest_activity() const { return layers_; }
    void reset_activity();

private:
    struct Tokens {
        std::uint64_t count = 0;
        bool latest = false;  // whether the token that the GPU noted last is one of them

        void add_latest() {
            ++count;
            latest = true;
        }
        std::uint32_t fate_of_latest();
    };
    Result<std::vector<std::uint32_t>> fired(std::size_t layer);
    Result<void> read_activity(std::size_t layer);
    Result<void> read_choices(std::size_t layer);
    FeedForwardMode path_of(const GpuLayer& layer) const;

    Model model_;
    Fetch fetch_;
    Tokens firing_;  // that collect_firing() did not have yet
    Tokens activity_;
    std::vector<LayerActivity> layers_;
};

}  // namespace hearth::vulkan
