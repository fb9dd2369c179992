// Which sizes of context and batch a model gets, and what each memory holds then.
#pragma once

#include <cstdint>
#include <optional>

#include "model/past_shape.h"
#include "plan/budget.h"
#include "plan/cost_model.h"
#include "plan/memory_costs.h"
#include "plan/plan.h"
#include "plan/split_choice.h"

namespace hearth {

// Tokens of one forward pass while prefilling: enough that weights are read from memory once for
// many tokens, few enough that the feed-forward block's activations stay small (512 x 11008 floats:
// 23 MB).
inline constexpr int kMostBatch = kMostPassTokens;

struct SizeTask {
    const MemoryCosts& costs;  // of all pasts
    const TokenCosts* tokens;  // null only where vram_bytes is 0
    const Speeds& speeds;
    const Budget& budget;  // its split and its solver
    int wanted_ctx = 0;
    bool fixed_ctx = false;             // somebody asked for that context
    std::uint64_t ram_bytes = 0;        // where the GPU gets something
    std::uint64_t alone_ram_bytes = 0;  // where it gets nothing, no less
    std::uint64_t vram_bytes = 0;       // 0: there is no GPU
};

struct SizeChoice {
    bool fits = false;  // else the sizes are the smallest that were tried
    int n_ctx = 0;
    int n_batch = 0;
    MemoryBytes ram;
    std::uint64_t ram_budget_bytes = 0;  // that it was chosen for
    SplitChoice split;                   // the reasons also where the GPU gets nothing
    WeightUpload upload;
    std::optional<FlashChoice> flash;  // empty: nothing is read from it
};

// The batch shrinks first: smaller steps cost a little prefill speed. Where weights then fit no
// memory they are read from flash; a context nobody asked for shrinks to 2048 tokens before that,
// and below where that does not help either.
SizeChoice choose_sizes(const SizeTask& task);

// The smallest budget with which the processor alone can compute the smallest size, reading weights
// in each pass, within a hundredth. Empty: none.
std::optional<std::uint64_t> least_streamed_bytes(const SizeTask& task);

}  // namespace hearth
