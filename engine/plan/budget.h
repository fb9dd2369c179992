// What the user allows.
#pragma once

#include <cstdint>
#include <optional>

#include <hearth/flash_without.h>

namespace hearth {

// What a GPU that cannot hold everything gets.
enum class SplitPolicy {
    Auto,     // what is forecast to be fastest
    Neurons,  // attention and output first, of as many layers as fit, then neurons (PowerInfer)
    Layers,   // whole layers only, as engines do that offload layers
};

// Who says which neurons go to the GPU.
enum class SplitSolver {
    Forecast,  // the placement that is forecast to be fastest (split_program.h); loading uses it
    Paper,     // PowerInfer's integer program, through CBC, with the greedy answer beside it
};

struct Budget {
    std::optional<std::uint64_t> ram_bytes{};   // empty: what the machine has to spare
    std::optional<std::uint64_t> vram_bytes{};  // empty: what the desktop can spare
    int n_ctx = 0;                              // tokens; 0: the model's own, at most kAutoContext
    int threads = 0;                            // 0: one per physical core
    SplitPolicy split = SplitPolicy::Auto;
    SplitSolver solver = SplitSolver::Forecast;
    int n_pasts = 1;  // conversations whose pasts are held at once
    FlashWithout flash_without{};
};

// A context nobody asked for should not cost gigabytes: 4096 tokens are some ten pages of
// conversation.
inline constexpr int kAutoContext = 4096;

}  // namespace hearth
