// The decision: where every cluster, the KV cache and the scratch memory live, to the byte.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/cluster.h"

namespace hearth {

enum class Residency { Vram, Ram, Flash };

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

struct ClusterPlacement {
    Cluster cluster;
    Residency residency = Residency::Ram;
};

// Bytes by purpose, counted as the arenas will hold them.
struct MemoryBytes {
    std::uint64_t weights = 0;
    std::uint64_t kv = 0;
    std::uint64_t scratch = 0;

    std::uint64_t total() const { return weights + kv + scratch; }
    bool operator==(const MemoryBytes&) const = default;
};

// How the placement of neurons was found. Values: expected firings per token on the GPU.
struct SolverReport {
    // "integer" or "greedy": that answer is carried out; "forecast": neither, since another split
    // is forecast to be faster; "none": the GPU gets no neurons.
    std::string chosen = "none";
    std::optional<double> integer_value, greedy_value;  // empty: there is no such answer
    double ms = 0;
    bool optimal = false;  // the integer program's answer is proven to be the best
};

struct Plan {
    // By layer, then by first neuron. With neuron_order[l] a cluster's numbers are places in it:
    // place i is neuron neuron_order[l][i] of the file.
    std::vector<ClusterPlacement> clusters;
    std::vector<std::vector<int>> neuron_order;  // empty: the file's own
    int n_ctx = 0;
    int n_batch = 0;  // most tokens one forward pass takes
    int threads = 1;
    FeedForwardMode mode = FeedForwardMode::Dense;
    MemoryBytes ram;
    MemoryBytes vram;
    std::uint64_t ram_budget_bytes = 0;
    std::uint64_t vram_budget_bytes = 0;  // 0: no GPU
    std::vector<int> hot_neurons;         // [n_layer]: in VRAM; empty: none
    std::optional<SolverReport> solver;   // empty: there was nothing to place
    std::vector<std::string> reasons;     // what was made smaller or left out, and why
};

}  // namespace hearth
