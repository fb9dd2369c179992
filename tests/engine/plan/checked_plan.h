// make_plan() for tests: each plan that comes out is checked against its budgets and its costs.
#pragma once

#include <QString>
#include <QTest>

#include "plan/planner.h"
#include "plan/weight_upload.h"

namespace hearth::test {

// No plan may do this, whatever was asked for: take more than a budget, charge other bytes than its
// placement costs, or take from a GPU more than it has. Empty: nothing is wrong. costs: of one
// past, as make_plan() gets them.
inline QString plan_breach(const ModelSpec& spec, const Machine& machine, const Budget& budget,
                           const MemoryCosts& costs, const Plan& plan) {
    const auto told = [](const char* what, std::uint64_t bytes, std::uint64_t most) {
        return QStringLiteral("%1: %2 of %3 bytes").arg(what).arg(bytes).arg(most);
    };
    if (plan.ram.total() > plan.ram_budget_bytes) {
        return told("RAM over its budget", plan.ram.total(), plan.ram_budget_bytes);
    }
    if (plan.vram.total() > plan.vram_budget_bytes) {
        return told("VRAM over its budget", plan.vram.total(), plan.vram_budget_bytes);
    }
    if (budget.ram_bytes && plan.ram.total() > *budget.ram_bytes) {
        return told("RAM over what was asked", plan.ram.total(), *budget.ram_bytes);
    }
    if (budget.vram_bytes && plan.vram.total() > *budget.vram_bytes) {
        return told("VRAM over what was asked", plan.vram.total(), *budget.vram_bytes);
    }
    if (budget.n_ctx > 0 && plan.n_ctx != budget.n_ctx) {
        return QStringLiteral("another context than was asked for: %1").arg(plan.n_ctx);
    }
    const auto n_pasts = static_cast<std::uint64_t>(plan.n_pasts);
    const Placement& placement = plan.placement;
    const bool uploads = plan.upload.slot_bytes > 0;
    const MemoryCosts with = uploads ? with_weight_upload(costs, plan.upload.slot_bytes) : costs;
    MemoryBytes vram;
    if (costs.gpu) {
        vram.weights = placement.output_in_vram() ? costs.gpu->output_bytes : 0;
        for (int layer = 0; layer < spec.n_layer(); ++layer) {
            vram.weights += costs.gpu->neurons_bytes(layer, placement.hot(layer));
            if (placement.attention_in_vram(layer)) {
                vram.weights += costs.gpu->attention_bytes(layer);
                vram.kv += n_pasts * costs.gpu->kv_bytes(plan.n_ctx, layer);
            }
        }
        vram.scratch = vram.total() > 0 ? with.gpu->scratch_bytes(plan.n_ctx, plan.n_batch) : 0;
        std::uint64_t most = 0;
        for (const GpuUnit& gpu : machine.gpus) {
            most = std::max(most, gpu.memory.capacity_bytes);
        }
        if (plan.vram.total() > most) {
            return told("more than any GPU has", plan.vram.total(), most);
        }
    }
    if (!(vram == plan.vram)) {
        return told("VRAM charged, and what its parts take", plan.vram.total(), vram.total());
    }
    const std::uint64_t kv = n_pasts * costs.kv_bytes(plan.n_ctx, placement);
    const std::uint64_t scratch = with.scratch_bytes(plan.n_ctx, plan.n_batch);
    if (plan.ram.kv != kv || plan.ram.scratch != scratch) {
        return told("the RAM of caches and scratch, and what they take",
                    plan.ram.kv + plan.ram.scratch, kv + scratch);
    }
    const std::uint64_t weights = costs.weights_bytes(placement);
    if (plan.reads_flash() ? plan.ram.weights > weights : plan.ram.weights != weights) {
        return told("the RAM of weights, and what they take", plan.ram.weights, weights);
    }
    return {};
}

// A plan with a breach fails the test that asked for it, whatever the test looks at.
inline Result<Plan> checked_plan(const ModelSpec& spec, const Machine& machine,
                                 const Budget& budget, const MemoryCosts& costs,
                                 const TokenCosts* tokens = nullptr) {
    Result<Plan> plan = make_plan(spec, machine, budget, costs, tokens);
    const QString breach = plan ? plan_breach(spec, machine, budget, costs, *plan) : QString();
    if (!breach.isEmpty()) {
        QTest::qFail(qPrintable(breach), __FILE__, __LINE__);
    }
    return plan;
}

}  // namespace hearth::test
