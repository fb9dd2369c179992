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
#include "plan/weight_upload.h"

namespace hearth {
namespace {

// Tokens of one forward pass while prefilling: enough that weights are read from memory once for
// many tokens, few enough that the feed-forward block's activations stay small (512 x 11008 floats:
// 23 MB).
constexpr int kBatch = 512;
constexpr int kSmallestBatch = 32;
constexpr int kSmallestContext = 512;
// A context that nobody asked for is cut so far to keep all weights in RAM: reading some for each
// token costs most of the speed. Below it a chat soon forgets its beginning, which costs more.
constexpr int kSmallestForWeights = 2048;

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

MemoryBytes memory_for(const MemoryCosts& costs, const GpuPart& on_gpu, int n_ctx, int n_batch) {
    return {costs.weights_bytes(on_gpu), costs.kv_bytes(n_ctx, on_gpu),
            costs.scratch_bytes(n_ctx, n_batch)};
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

// A batch's scratch may take this part of a GPU's memory, or of RAM where weights are read from
// flash, before the batch is made smaller.
constexpr std::uint64_t kScratchPart = 8;

// The size of context and batch for the processor alone. False if nothing fits; `plan` then holds
// the smallest size that was tried.
bool choose_size(const std::vector<Size>& sizes, const MemoryCosts& costs, Plan& plan) {
    for (const Size& size : sizes) {
        plan.n_ctx = size.n_ctx;
        plan.n_batch = size.n_batch;
        plan.ram = memory_for(costs, {}, size.n_ctx, size.n_batch);
        if (total_of(plan.ram) <= plan.ram_budget_bytes && total_of(plan.ram) < kMostBytes) {
            return true;
        }
    }
    return false;
}

// Likewise where the processor reads some of the weights in each pass. The context is the wanted
// one, unless its cache alone is too large.
std::optional<FlashChoice> choose_streamed_size(const std::vector<Size>& sizes,
                                                const MemoryCosts& costs, Plan& plan) {
    std::optional<FlashChoice> choice;
    for (std::size_t i = 0; i < sizes.size() && !choice && costs.stream_to_fit; ++i) {
        const Size& size = sizes[i];
        const std::uint64_t scratch = costs.scratch_bytes(size.n_ctx, size.n_batch);
        const std::uint64_t rest = add(scratch, costs.kv_bytes(size.n_ctx, {}));
        const bool can_shrink = i + 1 < sizes.size() && sizes[i + 1].n_batch < size.n_batch;
        if (rest >= plan.ram_budget_bytes ||
            (can_shrink && scratch > plan.ram_budget_bytes / kScratchPart)) {
            continue;
        }
        choice = costs.stream_to_fit(plan.ram_budget_bytes - rest);
        if (choice) {
            plan.n_ctx = size.n_ctx;
            plan.n_batch = size.n_batch;
            plan.ram = memory_for(costs, {}, size.n_ctx, size.n_batch);
            plan.ram.weights = choice->weights_bytes;
        }
    }
    return choice;
}

// The smallest budget with which some size can be computed so, within a hundredth. Empty: none.
std::optional<std::uint64_t> least_streamed_bytes(const std::vector<Size>& sizes,
                                                  const MemoryCosts& costs) {
    if (!costs.stream_to_fit) {
        return std::nullopt;
    }
    std::uint64_t most = costs.weights_bytes({});
    if (!costs.stream_to_fit(most)) {
        return std::nullopt;
    }
    for (std::uint64_t least = 0; most - least > most / 100 + 1;) {
        const std::uint64_t middle = least + (most - least) / 2;
        (costs.stream_to_fit(middle) ? most : least) = middle;
    }
    const Size& size = sizes.back();
    return add(most,
               add(costs.kv_bytes(size.n_ctx, {}), costs.scratch_bytes(size.n_ctx, size.n_batch)));
}

bool has_every_layer(const GpuPart& part, const TokenCosts& tokens) {
    bool all = true;
    for (std::size_t l = 0; l < tokens.heat.layers.size(); ++l) {
        const auto layer = static_cast<int>(l);
        all = all && part.has_attention(layer) &&
              static_cast<std::size_t>(part.hot(layer)) == tokens.heat.layers[l].rates.size();
    }
    return all;
}

// The same with a GPU, and what that gets; its share may be nothing.
bool choose_split_size(const std::vector<Size>& sizes, const MemoryCosts& costs,
                       const TokenCosts* tokens, const Speeds& speeds, const Budget& budget,
                       Plan& plan, std::optional<GpuShare>& share) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const Size& size = sizes[i];
        const bool can_shrink = i + 1 < sizes.size() && sizes[i + 1].n_batch < size.n_batch;
        if (can_shrink && costs.gpu->scratch_bytes(size.n_ctx, size.n_batch) >
                              plan.vram_budget_bytes / kScratchPart) {
            continue;
        }
        const auto share_of = [&](const MemoryCosts& with) {
            return gpu_share({*tokens, with, speeds, size.n_ctx, size.n_batch,
                              std::min(kForecastPositions, size.n_ctx), plan.ram_budget_bytes,
                              plan.vram_budget_bytes, budget.split, budget.solver});
        };
        const auto accept = [&](std::optional<GpuShare> found, const MemoryCosts& with) {
            if (!found) {
                return false;
            }
            share = std::move(found);
            plan.n_ctx = size.n_ctx;
            plan.n_batch = size.n_batch;
            plan.ram = memory_for(with, share->part, size.n_ctx, size.n_batch);
            return total_of(plan.ram) <= plan.ram_budget_bytes;
        };
        std::optional<GpuShare> found = share_of(costs);
        const auto upload =
            found && found->vram.total() > 0 && !has_every_layer(found->part, *tokens)
                ? weight_upload_for(*tokens, speeds, *costs.gpu, plan.vram_budget_bytes,
                                    size.n_batch)
                : std::nullopt;
        if (upload) {
            const MemoryCosts with = with_weight_upload(costs, upload->slot_bytes);
            std::optional<GpuShare> uploading = share_of(with);
            if (uploading && uploading->vram.total() > 0 && accept(std::move(uploading), with)) {
                plan.upload = *upload;
                return true;
            }
        }
        if (accept(std::move(found), costs)) {
            return true;
        }
    }
    return false;
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
    const std::uint64_t desktop =
        std::max(available - share_of(available, kAutoShare), kDesktopLeast);
    return std::min(available,
                    budget.vram_bytes.value_or(available - std::min(available, desktop)));
}

Speeds speeds_of(const Machine& machine, const GpuUnit* gpu) {
    Speeds speeds;
    speeds.ram.bandwidth_gb_per_s = machine.ram_read_gb_per_s;
    speeds.gflop_per_s = machine.gflop_per_s;
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
    if (const GpuUnit* gpu = choose_gpu(spec, machine, costs, tokens, plan.reasons)) {
        plan.vram_budget_bytes = vram_budget_bytes(*gpu, budget);
        if (budget.vram_bytes.value_or(0) > plan.vram_budget_bytes) {
            plan.reasons.push_back("the GPU " + gpu->name + " has only " +
                                   size_text(plan.vram_budget_bytes) + " of memory to give");
        }
    }

    const int wanted_ctx =
        budget.n_ctx > 0 ? budget.n_ctx : std::min(spec.n_ctx_train, kAutoContext);
    const std::vector<Size> sizes = sizes_to_try(wanted_ctx, budget.n_ctx > 0);
    std::optional<GpuShare> share;
    bool fits = plan.vram_budget_bytes > 0 &&
                choose_split_size(sizes, costs, tokens, speeds_of(machine), budget, plan, share);
    std::optional<FlashChoice> flash;
    if (!fits || share->vram.total() == 0) {  // a batch for the processor's sake only
        const auto shorter = std::find_if(sizes.begin(), sizes.end(), [&](const Size& size) {
            return size.n_ctx < std::min(wanted_ctx, kSmallestForWeights);
        });
        fits = choose_size({sizes.begin(), shorter}, costs, plan);
        if (!fits) {
            flash = choose_streamed_size(sizes, costs, plan);
            fits = flash || choose_size({shorter, sizes.end()}, costs, plan);
        }
    }
    if (!fits) {
        Error error = over_budget(plan, plan.ram);
        if (const auto least = least_streamed_bytes(sizes, costs)) {
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
    GpuPart on_gpu;
    if (share) {
        plan.vram = share->vram;
        if (plan.vram.total() > 0) {
            on_gpu = std::move(share->part);
            plan.solver = std::move(share->solver);
            bool cut = false;
            for (int layer = 0; layer < spec.n_layer(); ++layer) {
                cut = cut || (on_gpu.hot(layer) > 0 && on_gpu.hot(layer) < spec.layer(layer).n_ff);
            }
            if (cut && !tokens->heat.measured) {
                plan.reasons.push_back(
                    "there is no activation profile of enough tokens: all neurons are taken as "
                    "equally hot, so that a layer's first neurons are placed, not its hottest");
            }
        }
        plan.reasons.insert(plan.reasons.end(), share->reasons.begin(), share->reasons.end());
    }
    plan.placement = rest_in_ram(on_gpu, spec.neurons());
    if (flash) {
        const std::string why = ": all weights with the rest need more than " +
                                size_text(plan.ram_budget_bytes) + " of RAM";
        if (flash->streamed_bytes > 0) {
            plan.reasons.push_back(size_text(flash->streamed_bytes) +
                                   " of the weights are read from disk for every token" + why);
        }
        if (!flash->part.cached.empty()) {
            plan.reasons.push_back("neurons of " + size_text(flash->neuron_bytes) +
                                   " are read from disk when a token needs them" + why);
        }
        plan.placement.flash = std::move(flash->part);
        plan.flash_bytes = flash->streamed_bytes;
        plan.flash_batch_bytes = flash->batch_bytes;
        plan.flash_neuron_bytes = flash->neuron_bytes;
    }
    return plan;
}

}  // namespace hearth
