// Makes a plan from spec, machine and budget. Nothing is allocated or loaded before the plan says
// that the model fits.
#pragma once

#include <string>
#include <vector>

#include <hearth/result.h>

#include "hardware/cpu_features.h"
#include "hardware/memory_info.h"
#include "model/model_spec.h"
#include "plan/budget.h"
#include "plan/cost_model.h"
#include "plan/firing_split.h"
#include "plan/memory_costs.h"
#include "plan/plan.h"

namespace hearth {

// A GPU as its driver describes it and as it was measured.
struct GpuUnit {
    std::string name;
    MemoryUnit memory;
    std::uint64_t available_bytes =
        0;  // now, as the driver says; 0: unknown, then all of it counts
    // Over the bus. 0: not measured; crossing the bus is then reckoned to take no time.
    double to_gb_per_s = 0, from_gb_per_s = 0;
    double gflop_per_s = 0;   // 0: not measured, then prefill is not forecast
    bool shares_ram = false;  // its memory is the machine's RAM
};

struct Machine {
    CpuFeatures cpu;
    MemoryInfo memory;
    // Of weights by single tokens, as kernels do it; 0: unknown, then no GPU is used.
    double ram_read_gb_per_s = 0;
    double ram_rows_gb_per_s = 0;   // of rows picked here and there; 0: unknown
    std::vector<GpuUnit> gpus{};    // the plan uses the first that can be used
    double gflop_per_s = 0;         // of the processor, measured; 0: unknown
    double heads_gflop_per_s = 0;   // likewise of attention of many tokens
    double disk_read_gb_per_s = 0;  // of the model's file, in its order; 0: unknown
    double disk_reads_per_s = 0;    // scattered ones of 8 KB; 0: unknown
};

// Without a GPU everything is resident in RAM and one cluster covers each layer's neurons. A GPU
// gets what choose_split() says: attention with its KV cache, the output head, neurons in groups
// of 64. What then fits neither VRAM nor RAM is read from flash, and the GPU gets what
// choose_flash_split() says. `tokens` says what each costs, and may be null where there is no GPU.
// Of two plans with the same context and batch, an exchange (batch_costs.h) never takes longer with
// the one that has more of either budget, but for slots of uploads (weight_upload.h), which grow
// with VRAM, and, with flash, for the steps in which splits are looked at.
//
// Where GPU and processor share RAM, the plan's two budgets together are no more than the machine
// has to spare, or, where the user gave both, than it has. A budget that the user gave stays; the
// automatic one is what the other leaves. Where both are automatic the GPU's is what the whole
// model takes there if RAM holds the rest beside it, else half.
//
// The batch shrinks before the plan fails, or takes most of the GPU's memory; then a context nobody
// asked for. OverBudget: the sum and the budgets; InvalidArgument: a context longer than the model
// was trained for.
Result<Plan> make_plan(const ModelSpec& spec, const Machine& machine, const Budget& budget,
                       const MemoryCosts& costs, const TokenCosts* tokens = nullptr);

// The RAM that the user allows, or else what the machine has to spare.
std::uint64_t ram_budget_bytes(const Machine& machine, const Budget& budget);

// Likewise for a GPU's memory, and never more than the driver has. If nobody asked for a size, a
// tenth of that stays with the desktop, at least 512 MB and, where the driver says what others
// hold, at most 1 GB.
std::uint64_t vram_budget_bytes(const GpuUnit& gpu, const Budget& budget);

// The speeds at which a plan runs on this machine, for forecast().
Speeds speeds_of(const Machine& machine);
// Likewise of a plan that uses this GPU, whatever the other one would say of it; null: none.
Speeds speeds_of(const Machine& machine, const GpuUnit* gpu);

}  // namespace hearth
