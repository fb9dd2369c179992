// The decision: where every cluster, the KV cache and the scratch memory live, to the byte.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/cluster.h"

namespace hearth {

enum class Residency { Vram, Ram, Flash };

// How much of a feed-forward block one token computes.
enum class FeedForwardMode {
    Dense,      // every neuron
    Exact,      // every neuron whose gate is open; the same result where the activation is sparse
    Predicted,  // of those, the ones a predictor names, in layers that have one
};

constexpr std::string_view to_string(FeedForwardMode mode) {
    switch (mode) {
        case FeedForwardMode::Dense:
            return "dense";
        case FeedForwardMode::Exact:
            return "exact";
        case FeedForwardMode::Predicted:
            return "predicted";
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

struct Plan {
    std::vector<ClusterPlacement> clusters;  // by layer, then by first neuron
    int n_ctx = 0;
    int n_batch = 0;  // most tokens one forward pass takes
    int threads = 1;
    FeedForwardMode mode = FeedForwardMode::Dense;
    MemoryBytes ram;
    std::uint64_t ram_budget_bytes = 0;
    std::vector<std::string> reasons;  // what was made smaller, and why
};

}  // namespace hearth
