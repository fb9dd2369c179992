// Spec, machine and budget to a plan; nothing is allocated or loaded before it says the model fits.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <hearth/result.h>

#include "hardware/cpu_features.h"
#include "hardware/memory_info.h"
#include "model/model_spec.h"
#include "plan/budget.h"
#include "plan/cost_model.h"
#include "plan/placement.h"
#include "plan/plan.h"

namespace hearth {

// A GPU as described; there is no executor for one yet, so nothing detects any.
struct GpuUnit {
    std::string name;
    MemoryUnit memory;
};

struct Machine {
    CpuFeatures cpu;
    MemoryInfo memory;
    double ram_read_gb_per_s = 0;  // measured; 0: unknown, then no GPU is used
    std::vector<GpuUnit> gpus{};   // the first that can be used is
};

// What the executor and the caches will ask for; they know, the planner adds up.
struct MemoryCosts {
    std::uint64_t weights_bytes = 0;  // of everything, feed-forward blocks among it
    std::function<std::uint64_t(int n_ctx)> kv_bytes;
    std::function<std::uint64_t(int n_ctx, int n_batch)> scratch_bytes;
};

// Without a GPU everything is resident in RAM and one cluster covers each layer's neurons. With one
// its memory takes the neurons that gain most by it, in groups of 64, a layer's hottest first:
// `tokens` says what each costs, and may be null where there is no GPU. The split is the better of
// greedy and integer program (placement.h) unless another is forecast to be faster; the forecast of
// a plan is never slower than that of a plan with less of either budget (best_split.h).
//
// A context nobody asked for shrinks before the plan fails. OverBudget: the sum and the budgets;
// InvalidArgument: a context longer than the model was trained for.
Result<Plan> make_plan(const ModelSpec& spec, const Machine& machine, const Budget& budget,
                       const MemoryCosts& costs, const TokenCosts* tokens = nullptr);

// What the user allows of RAM, or else what the machine has to spare.
std::uint64_t ram_budget_bytes(const Machine& machine, const Budget& budget);

// Likewise of a GPU's memory: never more than it has.
std::uint64_t vram_budget_bytes(const GpuUnit& gpu, const Budget& budget);

// The bandwidths a plan on this machine runs at, for forecast().
Speeds speeds_of(const Machine& machine);

}  // namespace hearth
