// What executors and caches will ask for; they know, the planner adds up.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "model/model_spec.h"
#include "plan/cost_model.h"
#include "plan/plan.h"

namespace hearth {

// Of a GPU's memory. Every part is asked for by itself, and the sum is what will be taken.
struct GpuMemoryCosts {
    std::function<std::uint64_t(int layer)>
        attention_bytes;  // norm, matrices and, if predicted, the predictor
    // Of `count` neurons of a layer and what any of them need, a predictor and the norm, say; 0 for
    // none. Not less for more.
    std::function<std::uint64_t(int layer, int count)> neurons_bytes;
    std::uint64_t output_bytes = 0;  // final norm and output head
    bool neurons_alone = true;       // a layer's neurons may lie there without its attention
    std::function<std::uint64_t(int n_ctx, int layer)> kv_bytes;
    std::function<std::uint64_t(int n_ctx, int n_batch)> scratch_bytes;  // if it gets anything
    // What borrowing weights for a batch takes of the GPU's memory and of RAM. Empty: it cannot.
    std::function<std::uint64_t(int n_batch, std::uint64_t slot_bytes)> stream_bytes{};
    std::function<std::uint64_t(int n_batch, std::uint64_t slot_bytes)> stream_host_bytes{};
    std::uint64_t slot_bytes_min = 0;
};

struct MemoryCosts {
    // Of RAM, without what the GPU has.
    std::function<std::uint64_t(const GpuPart& on_gpu)> weights_bytes;
    std::function<std::uint64_t(int n_ctx, const GpuPart& on_gpu)> kv_bytes;
    std::function<std::uint64_t(int n_ctx, int n_batch)> scratch_bytes;
    std::optional<GpuMemoryCosts> gpu{};  // empty: nothing here computes on one
};

// For a GPU that is only assumed: weights as the file has them, an F16 cache, no scratch.
GpuMemoryCosts assumed_gpu_costs(const TokenCosts& costs);

}  // namespace hearth
