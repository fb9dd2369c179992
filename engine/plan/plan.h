// The decision: where every cluster, the KV cache and the scratch memory live, to the byte.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/cluster.h"

namespace hearth {

enum class Residency { Vram, Ram, Flash };

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
    MemoryBytes ram;
    std::uint64_t ram_budget_bytes = 0;
    std::vector<std::string> reasons;  // what was made smaller, and why
};

}  // namespace hearth
