// The decision: where every cluster, the KV cache and the scratch memory live, to the byte.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <hearth/flash_without.h>

#include "plan/placement.h"

namespace hearth {

// How much of a feed-forward block one token computes.
enum class FeedForwardMode {
    Dense,        // every neuron
    Exact,        // every neuron whose gate is open; the same result where the activation is sparse
    Predicted,    // of those, the ones a predictor names, in layers that have one
    Thresholded,  // every neuron, from the inputs above a threshold: approximate
};

constexpr std::string_view to_string(FeedForwardMode mode) {
    switch (mode) {
        case FeedForwardMode::Dense:
            return "dense";
        case FeedForwardMode::Exact:
            return "exact";
        case FeedForwardMode::Predicted:
            return "predicted";
        case FeedForwardMode::Thresholded:
            return "approximate";
    }
    return "dense";
}

// Bytes by purpose, as the arenas will hold them.
struct MemoryBytes {
    std::uint64_t weights = 0;
    std::uint64_t kv = 0;
    std::uint64_t scratch = 0;

    std::uint64_t total() const { return weights + kv + scratch; }
    bool operator==(const MemoryBytes&) const = default;
};

// How the placement of neurons was found.
struct SolverReport {
    // "forecast": the neurons that make a token fastest; "layers": whole layers do, or were asked
    // for; "flash": the share that spares the disk most, where VRAM and RAM cannot hold the model.
    // Of SplitSolver::Paper: "integer" or "greedy", or "forecast" where neither has an answer
    // that fits.
    std::string chosen = "none";
    // Expected firings per token on the GPU, PowerInfer's objective. Empty: not asked for
    // (SplitSolver::Forecast), or there is no such answer.
    std::optional<double> integer_value, greedy_value;
    double ms = 0;         // the search took
    bool optimal = false;  // nothing is better by the objective of the solver that was asked for
};

// How a GPU computes batches of a model that it does not hold whole: alone, with the processor's
// weights uploaded through two slots of its memory. One slot is filled while the other is
// multiplied with.
struct WeightUpload {
    std::uint64_t slot_bytes = 0;
    int tokens_min = 0;  // smaller batches are split as single tokens are

    bool applies_to(int n_tokens) const { return slot_bytes > 0 && n_tokens >= tokens_min; }
};

// How the disk that the model lies on wants to be read, as it was measured. 0: not known.
struct DiskReads {
    int depth = 0;  // reads in flight at once
    std::uint64_t largest_read_bytes = 0;
    std::uint64_t merge_gap_bytes = 0;  // neighbours this near are read as one
};

struct Plan {
    Placement placement;
    int n_ctx = 0;
    int n_batch = 0;  // most tokens one forward pass takes
    int n_pasts = 1;  // conversations whose pasts are held at once
    int threads = 1;
    FeedForwardMode mode = FeedForwardMode::Dense;
    FlashWithout flash_without;
    DiskReads disk_reads;
    WeightUpload upload;
    // Whether a GPU has counters for its neurons; see Executor::count_token().
    bool counts_firing = false;
    MemoryBytes ram;
    MemoryBytes vram;
    std::uint64_t flash_bytes = 0;         // of weights that each token reads
    std::uint64_t flash_batch_bytes = 0;   // that each batch reads
    std::uint64_t flash_neuron_bytes = 0;  // of neurons for which RAM has no room
    std::uint64_t ram_budget_bytes = 0;
    std::uint64_t vram_budget_bytes = 0;  // 0: no GPU
    std::optional<SolverReport> solver;   // empty: the GPU gets nothing
    std::vector<std::string> reasons;     // what was made smaller or left out, and why

    bool reads_flash() const { return placement.reads_flash(); }
};

}  // namespace hearth
