// How many bytes executors and caches will ask for. They know the sizes; the planner adds them up.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "model/model_spec.h"
#include "plan/cost_model.h"
#include "plan/plan.h"

namespace hearth {

// Bytes of a GPU's memory. Each function gives one part by itself. What will be taken is the sum.
struct GpuMemoryCosts {
    std::function<std::uint64_t(int layer)>
        attention_bytes;  // norm, matrices and, if predicted, the predictor
    // For `count` neurons of a layer and what any of them need (the norm, for example). 0 for none.
    // More neurons never take fewer bytes.
    std::function<std::uint64_t(int layer, int count)> neurons_bytes;
    std::uint64_t output_bytes = 0;  // final norm and output head
    bool neurons_alone = true;       // the GPU may hold a layer's neurons without its attention
    std::function<std::uint64_t(int n_ctx, int layer)> kv_bytes;
    std::function<std::uint64_t(int n_ctx, int n_batch)> scratch_bytes;  // if it gets anything
    // What the slots for uploaded weights need of the GPU's memory and of RAM. Empty: weights are
    // not uploaded to this GPU.
    std::function<std::uint64_t(int n_batch, std::uint64_t slot_bytes)> upload_bytes{};
    std::function<std::uint64_t(int n_batch, std::uint64_t slot_bytes)> upload_host_bytes{};
    std::uint64_t slot_bytes_min = 0;
};

// Which matrices are left on flash so that the others fit.
struct FlashChoice {
    Placement placement;
    std::uint64_t weights_bytes = 0;   // RAM, with the memory that reading ahead needs
    std::uint64_t streamed_bytes = 0;  // of the file, for each token
    std::uint64_t batch_bytes = 0;     // for each batch
    std::uint64_t neuron_bytes = 0;    // of neurons that are cached but for which there is no room
};

struct MemoryCosts {
    // Bytes of RAM.
    std::function<std::uint64_t(const Placement& placement)> weights_bytes;
    std::function<std::uint64_t(int n_ctx, const Placement& placement)> kv_bytes;
    std::function<std::uint64_t(int n_ctx, int n_batch)> scratch_bytes;
    std::optional<GpuMemoryCosts> gpu{};  // empty: nothing here computes on one
    // The placement that is loaded, to which a plan that reads flash keeps as far as it can. Null:
    // nothing is loaded.
    std::shared_ptr<const Placement> loaded{};
    // The reads of each pass where RAM has this much for what the placement leaves to it: as few as
    // possible. Empty: the budget is smaller than what a pass needs at once. No
    // function: nothing can be read so.
    std::function<std::optional<FlashChoice>(const Placement& placement,
                                             std::uint64_t weights_bytes)>
        stream_to_fit{};

    // As stream_to_fit(), near to what is loaded. Precondition: there is the function.
    std::optional<FlashChoice> stream_near(const Placement& placement, std::uint64_t bytes) const;
};

// The costs of a GPU that is only assumed: weights as the file has them, an F16 cache, no scratch.
GpuMemoryCosts assumed_gpu_costs(const TokenCosts& costs);

}  // namespace hearth
