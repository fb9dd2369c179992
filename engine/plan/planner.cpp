#include "plan/planner.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plan/size_choice.h"
#include "plan/split.h"

namespace hearth {
namespace {

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

// What several pasts cost; costs says it of one.
MemoryCosts for_pasts(MemoryCosts costs, int n_pasts) {
    const auto times = [n = static_cast<std::uint64_t>(n_pasts)](auto cost_of_one) {
        return [=](int n_ctx, const auto& where) { return n * cost_of_one(n_ctx, where); };
    };
    if (n_pasts > 1) {
        costs.kv_bytes = times(costs.kv_bytes);
        if (costs.gpu) {
            costs.gpu->kv_bytes = times(costs.gpu->kv_bytes);
        }
    }
    return costs;
}

// A sum that no machine has stays at the greatest there is.
std::uint64_t total_of(const MemoryBytes& bytes) {
    std::uint64_t sum = 0;
    for (const std::uint64_t part : {bytes.weights, bytes.kv, bytes.scratch}) {
        sum = part > std::numeric_limits<std::uint64_t>::max() - sum
                  ? std::numeric_limits<std::uint64_t>::max()
                  : sum + part;
    }
    return sum;
}

bool is_known(double number) {
    return std::isfinite(number) && number > 0;
}

// Why the GPU cannot take part; null if it can.
const char* why_not(const GpuUnit& gpu, const Machine& machine) {
    if (!is_known(machine.ram_read_gb_per_s)) {
        return "the bandwidth of RAM is not known";
    }
    if (!is_known(gpu.memory.bandwidth_gb_per_s)) {
        return "its bandwidth is not known";
    }
    if (!std::isfinite(gpu.memory.sync_us) || gpu.memory.sync_us < 0) {
        return "what synchronising with it costs is not known";
    }
    if (gpu.memory.bandwidth_gb_per_s <= machine.ram_read_gb_per_s) {
        return "its memory is no faster than RAM";
    }
    return nullptr;
}

// Null: there is none to use.
const GpuUnit* first_usable(const Machine& machine) {
    const auto found =
        std::find_if(machine.gpus.begin(), machine.gpus.end(),
                     [&](const GpuUnit& gpu) { return why_not(gpu, machine) == nullptr; });
    return found == machine.gpus.end() ? nullptr : &*found;
}

bool describes(const TokenCosts* tokens, const ModelSpec& spec) {
    const std::size_t n_layer = spec.layers.size();
    return tokens != nullptr && tokens->bytes.layers.size() == n_layer &&
           tokens->heat.layers.size() == n_layer;
}

// The GPU to use, or null; reasons gains why others are not.
const GpuUnit* choose_gpu(const ModelSpec& spec, const Machine& machine, const MemoryCosts& costs,
                          const TokenCosts* tokens, std::vector<std::string>& reasons) {
    const bool known = costs.gpu && describes(tokens, spec) && spec.n_layer() > 0;
    const GpuUnit* chosen = known ? first_usable(machine) : nullptr;
    for (const GpuUnit& gpu : machine.gpus) {
        if (&gpu != chosen) {
            const char* why = why_not(gpu, machine);
            if (why == nullptr) {
                why = chosen != nullptr ? "plans use one GPU"
                                        : "what this model costs there is not known";
            }
            reasons.push_back("the GPU " + gpu.name + " is left out: " + why);
        }
    }
    return chosen;
}

std::uint64_t share_of(std::uint64_t bytes, double share) {
    return static_cast<std::uint64_t>(static_cast<double>(bytes) * share);
}

Error over_budget(const Plan& plan, const MemoryBytes& needed) {
    std::string message = "needs " + size_text(total_of(needed)) + " of RAM (weights " +
                          size_text(needed.weights) + ", KV cache " + size_text(needed.kv) +
                          " for " + std::to_string(plan.n_ctx) + " tokens, scratch " +
                          size_text(needed.scratch) + "), the budget is " +
                          size_text(plan.ram_budget_bytes);
    if (plan.vram_budget_bytes > 0) {
        message += " and " + size_text(plan.vram_budget_bytes) +
                   " of VRAM, which cannot take the embeddings";
    }
    return Error{ErrorCode::OverBudget, std::move(message), {}, "ram"};
}

}  // namespace

std::uint64_t ram_budget_bytes(const Machine& machine, const Budget& budget) {
    return budget.ram_bytes.value_or(share_of(machine.memory.available_bytes, kAutoShare));
}

std::uint64_t vram_budget_bytes(const GpuUnit& gpu, const Budget& budget) {
    const std::uint64_t capacity = gpu.memory.capacity_bytes;
    const std::uint64_t available =
        gpu.available_bytes > 0 ? std::min(gpu.available_bytes, capacity) : capacity;
    constexpr std::uint64_t kDesktopLeast = 512'000'000;
    // The driver has taken off what others hold, if it says that. Their further wishes do not grow
    // with the card.
    constexpr std::uint64_t kDesktopMost = 1'000'000'000;
    const std::uint64_t tenth = available - share_of(available, kAutoShare);
    const std::uint64_t desktop =
        std::max(available < capacity ? std::min(tenth, kDesktopMost) : tenth, kDesktopLeast);
    return std::min(available,
                    budget.vram_bytes.value_or(available - std::min(available, desktop)));
}

Speeds speeds_of(const Machine& machine, const GpuUnit* gpu) {
    Speeds speeds;
    speeds.ram.bandwidth_gb_per_s = machine.ram_read_gb_per_s;
    speeds.ram_rows_gb_per_s = machine.ram_rows_gb_per_s;
    speeds.gflop_per_s = machine.gflop_per_s;
    speeds.heads_gflop_per_s = machine.heads_gflop_per_s;
    speeds.flash.bandwidth_gb_per_s = machine.disk_read_gb_per_s;
    speeds.flash_reads_per_s = machine.disk_reads_per_s;
    if (gpu != nullptr) {
        speeds.vram = gpu->memory;
        speeds.vram_gflop_per_s = gpu->gflop_per_s;
        speeds.to_vram_gb_per_s = gpu->to_gb_per_s;
        speeds.from_vram_gb_per_s = gpu->from_gb_per_s;
    }
    return speeds;
}

Speeds speeds_of(const Machine& machine) {
    return speeds_of(machine, first_usable(machine));
}

namespace {

// What the GPU takes if it gets all of a model, and what RAM must hold beside it.
std::pair<std::uint64_t, std::uint64_t> bytes_of_everything(const ModelSpec& spec,
                                                            const MemoryCosts& costs, int n_ctx,
                                                            int n_batch) {
    const Split all{0, true, spec.neurons()};
    Placement part = all_in_ram(spec.neurons());
    part.output = Home::Vram;
    for (int layer = 0; layer < spec.n_layer(); ++layer) {
        part.layers[static_cast<std::size_t>(layer)].attention = Unit::Gpu;
        const int n_ff = spec.layer(layer).n_ff;
        place_neurons(part, layer, n_ff, n_ff);
    }
    const MemoryBytes ram{costs.weights_bytes(part), costs.kv_bytes(n_ctx, part),
                          costs.scratch_bytes(n_ctx, n_batch)};
    return {vram_of(all, *costs.gpu, n_ctx, costs.gpu->scratch_bytes(n_ctx, n_batch)).total(),
            total_of(ram)};
}

// Budgets of a GPU whose memory is RAM, see make_plan(). plan: as if it had its own.
void share_ram(const ModelSpec& spec, const Machine& machine, const Budget& budget,
               const MemoryCosts& costs, int n_ctx, Plan& plan) {
    const std::uint64_t spare = share_of(machine.memory.available_bytes, kAutoShare);
    const auto beside = [](std::uint64_t all, std::uint64_t taken) {
        return all - std::min(all, taken);
    };
    if (budget.ram_bytes) {
        const std::uint64_t all = budget.vram_bytes ? machine.memory.total_bytes : spare;
        plan.vram_budget_bytes =
            std::min(plan.vram_budget_bytes, beside(all, plan.ram_budget_bytes));
        return;
    }
    if (!budget.vram_bytes) {
        const auto [vram, ram] =
            bytes_of_everything(spec, costs, n_ctx, std::min(kMostBatch, n_ctx));
        const bool fits = ram < spare && vram <= spare - ram;
        plan.vram_budget_bytes = std::min(plan.vram_budget_bytes, fits ? vram : spare / 2);
    }
    plan.vram_budget_bytes = std::min(plan.vram_budget_bytes, spare);
    plan.ram_budget_bytes = spare - plan.vram_budget_bytes;
}

}  // namespace

Result<Plan> make_plan(const ModelSpec& spec, const Machine& machine, const Budget& budget,
                       const MemoryCosts& of_one_past, const TokenCosts* tokens) {
    const MemoryCosts costs = for_pasts(of_one_past, budget.n_pasts);
    Plan plan;
    plan.n_pasts = budget.n_pasts;
    plan.flash_without = budget.flash_without;
    if (budget.n_ctx < 0 || budget.n_ctx > spec.n_ctx_train) {
        return Error{ErrorCode::InvalidArgument,
                     "a context of " + std::to_string(budget.n_ctx) +
                         " tokens was asked for; this model holds at most " +
                         std::to_string(spec.n_ctx_train),
                     {},
                     "ctx"};
    }
    plan.threads = budget.threads > 0 ? budget.threads : std::max(1, machine.cpu.physical_cores);
    plan.ram_budget_bytes = ram_budget_bytes(machine, budget);
    const std::uint64_t alone_ram_bytes = plan.ram_budget_bytes;
    const int wanted_ctx =
        budget.n_ctx > 0 ? budget.n_ctx : std::min(spec.n_ctx_train, kAutoContext);
    if (const GpuUnit* gpu = choose_gpu(spec, machine, costs, tokens, plan.reasons)) {
        plan.vram_budget_bytes = vram_budget_bytes(*gpu, budget);
        if (gpu->shares_ram) {
            share_ram(spec, machine, budget, costs, wanted_ctx, plan);
        }
        if (budget.vram_bytes.value_or(0) > plan.vram_budget_bytes) {
            plan.reasons.push_back("the GPU " + gpu->name + " has only " +
                                   size_text(plan.vram_budget_bytes) + " of memory to give");
        }
    }

    Speeds speeds = speeds_of(machine);
    // Steps are for forecasts. Whether they should also decide what a GPU gets was not measured: a
    // processor that plays GPU, named by the user, would get next to nothing.
    speeds.vram.step_us = 0;
    const SizeTask task{costs,
                        tokens,
                        speeds,
                        budget,
                        wanted_ctx,
                        budget.n_ctx > 0,
                        plan.ram_budget_bytes,
                        alone_ram_bytes,
                        plan.vram_budget_bytes};
    SizeChoice chosen = choose_sizes(task);
    plan.n_ctx = chosen.n_ctx;
    plan.n_batch = chosen.n_batch;
    plan.ram = chosen.ram;
    plan.ram_budget_bytes = chosen.ram_budget_bytes;
    plan.upload = chosen.upload;
    if (!chosen.fits) {
        Error error = over_budget(plan, plan.ram);
        if (const auto least = least_streamed_bytes(task)) {
            error.message +=
                "; with weights read from disk for every token it needs " + size_text(*least);
        }
        return error;
    }
    if (plan.n_ctx < wanted_ctx) {
        plan.reasons.push_back("the context was cut from " + std::to_string(wanted_ctx) + " to " +
                               std::to_string(plan.n_ctx) + " tokens to fit " +
                               size_text(plan.ram_budget_bytes) + " of RAM");
    }
    plan.placement = all_in_ram(spec.neurons());
    plan.vram = chosen.split.vram;
    if (plan.vram.total() > 0) {
        plan.placement = std::move(chosen.split.placement);
        plan.solver = std::move(chosen.split.solver);
        bool in_two = false;
        for (int layer = 0; layer < spec.n_layer(); ++layer) {
            const int hot = plan.placement.hot(layer);
            in_two = in_two || (hot > 0 && hot < spec.layer(layer).n_ff);
        }
        if (in_two && !tokens->heat.measured) {
            const std::string what = spec.has_experts() ? "experts" : "neurons";
            plan.reasons.push_back("there is no activation profile of enough tokens: all " + what +
                                   " are taken as equally hot, so that a layer's first " + what +
                                   " are placed, not its hottest");
        }
    }
    plan.reasons.insert(plan.reasons.end(), chosen.split.reasons.begin(),
                        chosen.split.reasons.end());
    // Streams from disk are read in the order of their file.
    if (plan.vram.total() > 0 && !chosen.flash) {
        order_as_source(tokens->heat, plan.placement);
    }
    if (std::optional<FlashChoice>& flash = chosen.flash) {
        const std::string why =
            ": all weights with the rest need more than " + size_text(plan.ram_budget_bytes) +
            " of RAM" +
            (plan.vram.total() > 0 ? " and " + size_text(plan.vram_budget_bytes) + " of VRAM" : "");
        if (flash->streamed_bytes > 0) {
            plan.reasons.push_back(size_text(flash->streamed_bytes) +
                                   " of the weights are read from disk for every token" + why);
        }
        if (flash->placement.has_slots()) {
            plan.reasons.push_back((spec.has_experts() ? "experts of " : "neurons of ") +
                                   size_text(flash->neuron_bytes) +
                                   " are read from disk when a token needs them" + why);
        }
        plan.placement = std::move(flash->placement);
        plan.flash_bytes = flash->streamed_bytes;
        plan.flash_batch_bytes = flash->batch_bytes;
        plan.flash_neuron_bytes = flash->neuron_bytes;
    }
    return plan;
}

}  // namespace hearth
