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

#include "plan/gpu_share.h"

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

// Sums of numbers that may come from anywhere stay at the greatest there is, which fits nowhere.
constexpr std::uint64_t kMostBytes = std::numeric_limits<std::uint64_t>::max();

std::uint64_t add(std::uint64_t a, std::uint64_t b) {
    return a > kMostBytes - b ? kMostBytes : a + b;
}
std::uint64_t total_of(const MemoryBytes& bytes) {
    return add(add(bytes.weights, bytes.kv), bytes.scratch);
}

struct Size {
    int n_ctx;
    int n_batch;
};

// What may be tried, in this order: smaller steps cost a little prefill speed, a smaller context
// costs the user, unless he asked for no certain one.
std::vector<Size> sizes_to_try(int wanted_ctx, bool fixed_ctx) {
    std::vector<Size> sizes{{wanted_ctx, std::min(kBatch, wanted_ctx)}};
    while (sizes.back().n_batch / 2 >= kSmallestBatch) {
        sizes.push_back({wanted_ctx, sizes.back().n_batch / 2});
    }
    while (!fixed_ctx && sizes.back().n_ctx / 2 >= kSmallestContext) {
        sizes.push_back({sizes.back().n_ctx / 2, sizes.back().n_batch});
    }
    return sizes;
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
    const auto n_layer = static_cast<std::size_t>(std::max(spec.n_layer, 0));
    return tokens != nullptr && tokens->bytes.layers.size() == n_layer &&
           tokens->heat.layers.size() == n_layer;
}

// The GPU to use, or null; reasons gains why others are not.
const GpuUnit* choose_gpu(const ModelSpec& spec, const Machine& machine, const TokenCosts* tokens,
                          std::vector<std::string>& reasons) {
    const GpuUnit* chosen =
        describes(tokens, spec) && spec.n_layer > 0 ? first_usable(machine) : nullptr;
    for (const GpuUnit& gpu : machine.gpus) {
        if (&gpu != chosen) {
            const char* why = why_not(gpu, machine);
            if (why == nullptr) {
                why = chosen != nullptr ? "plans use one GPU"
                                        : "what this model's neurons cost is not known";
            }
            reasons.push_back("the GPU " + gpu.name + " is left out: " + why);
        }
    }
    return chosen;
}

std::uint64_t share_of(std::uint64_t bytes, double share) {
    return static_cast<std::uint64_t>(static_cast<double>(bytes) * share);
}

// Neurons that are to live in VRAM become clusters of their own.
void place_clusters(const ModelSpec& spec, const GpuShare* share, const TokenCosts* tokens,
                    Plan& plan) {
    const bool split = share != nullptr && share->bytes > 0;
    if (split) {
        plan.hot_neurons = share->hot;
        for (std::size_t l = 0; tokens->heat.measured && l < share->hot.size(); ++l) {
            plan.neuron_order.push_back(tokens->heat.layers[l].order);
        }
    }
    plan.clusters.reserve(static_cast<std::size_t>(spec.n_layer));
    for (int layer = 0; layer < spec.n_layer; ++layer) {
        const int hot = split ? share->hot[static_cast<std::size_t>(layer)] : 0;
        if (hot > 0) {
            plan.clusters.push_back({{layer, 0, hot}, Residency::Vram});
        }
        if (hot < spec.n_ff) {
            plan.clusters.push_back({{layer, hot, spec.n_ff - hot}, Residency::Ram});
        }
    }
}

Error over_budget(const Plan& plan, const MemoryBytes& needed) {
    std::string message = "needs " + size_text(total_of(needed)) + " of RAM (weights " +
                          size_text(needed.weights) + ", KV cache " + size_text(needed.kv) +
                          " for " + std::to_string(plan.n_ctx) + " tokens, scratch " +
                          size_text(needed.scratch) + "), the budget is " +
                          size_text(plan.ram_budget_bytes);
    if (plan.vram_budget_bytes > 0) {
        message += " and " + size_text(plan.vram_budget_bytes) +
                   " of VRAM, which can take neurons of feed-forward blocks only";
    }
    return Error{ErrorCode::OverBudget, std::move(message), {}, "ram"};
}

// The size of context and batch, and with them what the GPU gets. By the forecast a plan with more
// budget must not be slower: so neurons are not forced onto the GPU, where they would cost more
// than they save, as long as a smaller context makes it unnecessary. Null if nothing fits; `plan`
// then holds the smallest size that was tried.
bool choose_size(const std::vector<Size>& sizes, const MemoryCosts& costs, const TokenCosts* tokens,
                 const Speeds& speeds, Plan& plan, std::optional<GpuShare>& share) {
    const auto needed = [&](Size size) { return memory_for(costs, size.n_ctx, size.n_batch); };
    const auto take = [&](Size size) {
        plan.n_ctx = size.n_ctx;
        plan.n_batch = size.n_batch;
        plan.ram = needed(size);
    };
    const std::uint64_t room = std::min(plan.vram_budget_bytes, costs.weights_bytes);
    if (room > 0) {
        share = gpu_share(*tokens, speeds, room, 0);
    }
    const std::uint64_t moved = share ? share->bytes : 0;
    for (const Size& size : sizes) {
        take(size);
        const std::uint64_t total = total_of(plan.ram);
        if (total - std::min(total, moved) <= plan.ram_budget_bytes && total < kMostBytes) {
            return true;
        }
    }
    if (room > 0 && total_of(plan.ram) < kMostBytes) {
        share = gpu_share(*tokens, speeds, room, total_of(plan.ram) - plan.ram_budget_bytes);
        if (share) {
            share->reasons.push_back(
                "the GPU takes neurons that RAM has no room for, some of "
                "which would be faster there");
        }
        return share.has_value();
    }
    return false;
}

}  // namespace

std::uint64_t ram_budget_bytes(const Machine& machine, const Budget& budget) {
    return budget.ram_bytes.value_or(share_of(machine.memory.available_bytes, kAutoShare));
}

std::uint64_t vram_budget_bytes(const GpuUnit& gpu, const Budget& budget) {
    const std::uint64_t capacity = gpu.memory.capacity_bytes;
    return std::min(capacity, budget.vram_bytes.value_or(share_of(capacity, kAutoShare)));
}

Speeds speeds_of(const Machine& machine) {
    Speeds speeds;
    speeds.ram.bandwidth_gb_per_s = machine.ram_read_gb_per_s;
    if (const GpuUnit* gpu = first_usable(machine)) {
        speeds.vram = gpu->memory;
    }
    return speeds;
}

Result<Plan> make_plan(const ModelSpec& spec, const Machine& machine, const Budget& budget,
                       const MemoryCosts& costs, const TokenCosts* tokens) {
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
    plan.ram_budget_bytes = ram_budget_bytes(machine, budget);
    if (const GpuUnit* gpu = choose_gpu(spec, machine, tokens, plan.reasons)) {
        const std::uint64_t capacity = gpu->memory.capacity_bytes;
        plan.vram_budget_bytes = vram_budget_bytes(*gpu, budget);
        if (budget.vram_bytes.value_or(0) > capacity) {
            plan.reasons.push_back("the GPU " + gpu->name + " has only " + size_text(capacity) +
                                   " of memory");
        }
    }

    const int wanted_ctx =
        budget.n_ctx > 0 ? budget.n_ctx : std::min(spec.n_ctx_train, kAutoContext);
    std::optional<GpuShare> share;
    if (!choose_size(sizes_to_try(wanted_ctx, budget.n_ctx > 0), costs, tokens, speeds_of(machine),
                     plan, share)) {
        return over_budget(plan, plan.ram);
    }
    if (plan.n_ctx < wanted_ctx) {
        plan.reasons.push_back("the context was cut from " + std::to_string(wanted_ctx) + " to " +
                               std::to_string(plan.n_ctx) + " tokens to fit " +
                               size_text(plan.ram_budget_bytes) + " of RAM");
    }
    if (share) {
        plan.ram.weights -= share->bytes;  // what VRAM holds is not kept in RAM as well
        plan.vram.weights = share->bytes;
        plan.solver = std::move(share->solver);
        if (!tokens->heat.measured) {
            plan.reasons.push_back(
                "there is no activation profile of this model: all neurons are taken as equally "
                "hot, so that a layer's first neurons are placed, not its hottest");
        }
        plan.reasons.insert(plan.reasons.end(), share->reasons.begin(), share->reasons.end());
    }
    place_clusters(spec, share ? &*share : nullptr, tokens, plan);
    return plan;
}

}  // namespace hearth
