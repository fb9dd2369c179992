// Spec, machine and budget to a plan; nothing is allocated or loaded before it says the model fits.
#pragma once

#include <functional>

#include <hearth/result.h>

#include "hardware/cpu_features.h"
#include "hardware/memory_info.h"
#include "model/model_spec.h"
#include "plan/budget.h"
#include "plan/plan.h"

namespace hearth {

struct Machine {
    CpuFeatures cpu;
    MemoryInfo memory;
};

// What the executor and the caches will ask for; they know, the planner adds up.
struct MemoryCosts {
    std::uint64_t weights_bytes = 0;
    std::function<std::uint64_t(int n_ctx)> kv_bytes;
    std::function<std::uint64_t(int n_ctx, int n_batch)> scratch_bytes;
};

// Today everything is resident in RAM and one cluster covers each layer's neurons. A context nobody
// asked for shrinks before the plan fails. OverBudget: the sum and the budget; InvalidArgument: a
// context longer than the model was trained for.
Result<Plan> make_plan(const ModelSpec& spec, const Machine& machine, const Budget& budget,
                       const MemoryCosts& costs);

}  // namespace hearth
