#include "plan/planner.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>

namespace hearth {
namespace {

// Tokens of one forward pass while prefilling: enough that weights are read from memory once for
// many tokens, few enough that the feed-forward block's activations stay small (512 x 11008 floats:
// 23 MB).
constexpr int kBatch = 512;
constexpr int kSmallestBatch = 32;
constexpr int kSmallestContext = 512;

// Of the memory the system calls available: the rest of the process, and room to breathe.
constexpr double kAutoShare = 0.9;

std::string size_text(std::uint64_t bytes) {
    std::array<char, 32> text{};
    const auto value = static_cast<double>(bytes);
    if (value >= 1e9) {
        std::snprintf(text.data(), text.size(), "%.2f GB", value / 1e9);
    } else {
        std::snprintf(text.data(), text.size(), "%.1f MB", value / 1e6);
    }
    return text.data();
}

MemoryBytes memory_for(const MemoryCosts& costs, int n_ctx, int n_batch) {
    return {costs.weights_bytes, costs.kv_bytes(n_ctx), costs.scratch_bytes(n_ctx, n_batch)};
}

}  // namespace

Result<Plan> make_plan(const ModelSpec& spec, const Machine& machine, const Budget& budget,
                       const MemoryCosts& costs) {
    Plan plan;
    if (budget.n_ctx < 0 || budget.n_ctx > spec.n_ctx_train) {
        return Error{ErrorCode::InvalidArgument,
                     "a context of " + std::to_string(budget.n_ctx) +
                         " tokens was asked for; this model holds at most " +
                         std::to_string(spec.n_ctx_train),
                     {},
                     "ctx"};
    }
    plan.threads = budget.threads > 0 ? budget.threads : std::max(1, machine.cpu.physical_cores);
    plan.ram_budget_bytes = budget.ram_bytes.value_or(static_cast<std::uint64_t>(
        static_cast<double>(machine.memory.available_bytes) * kAutoShare));

    const int wanted_ctx =
        budget.n_ctx > 0 ? budget.n_ctx : std::min(spec.n_ctx_train, kAutoContext);
    plan.n_ctx = wanted_ctx;
    plan.n_batch = std::min(kBatch, wanted_ctx);
    plan.ram = memory_for(costs, plan.n_ctx, plan.n_batch);

    // Smaller steps cost a little prefill speed, a smaller context costs the user: in that order.
    while (plan.ram.total() > plan.ram_budget_bytes && plan.n_batch / 2 >= kSmallestBatch) {
        plan.n_batch /= 2;
        plan.ram = memory_for(costs, plan.n_ctx, plan.n_batch);
    }
    while (plan.ram.total() > plan.ram_budget_bytes && budget.n_ctx == 0 &&
           plan.n_ctx / 2 >= kSmallestContext) {
        plan.n_ctx /= 2;
        plan.ram = memory_for(costs, plan.n_ctx, plan.n_batch);
    }
    if (plan.ram.total() > plan.ram_budget_bytes) {
        return Error{ErrorCode::OverBudget,
                     "needs " + size_text(plan.ram.total()) + " of RAM (weights " +
                         size_text(plan.ram.weights) + ", KV cache " + size_text(plan.ram.kv) +
                         " for " + std::to_string(plan.n_ctx) + " tokens, scratch " +
                         size_text(plan.ram.scratch) + "), the budget is " +
                         size_text(plan.ram_budget_bytes),
                     {},
                     "ram"};
    }
    if (plan.n_ctx < wanted_ctx) {
        plan.reasons.push_back("the context was cut from " + std::to_string(wanted_ctx) + " to " +
                               std::to_string(plan.n_ctx) + " tokens to fit " +
                               size_text(plan.ram_budget_bytes) + " of RAM");
    }
    plan.clusters.reserve(static_cast<std::size_t>(spec.n_layer));
    for (int layer = 0; layer < spec.n_layer; ++layer) {
        plan.clusters.push_back({{layer, 0, spec.n_ff}, Residency::Ram});
    }
    return plan;
}

}  // namespace hearth
