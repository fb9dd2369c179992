// The decision: where every cluster, the KV cache and the scratch memory live, to the byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
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
    // for. Of PlacementSolver::Paper: "integer" or "greedy", or "forecast" where neither has an
    // answer that fits.
    std::string chosen = "none";
    // Expected firings per token on the GPU, PowerInfer's objective. Empty: not asked for
    // (PlacementSolver::Forecast), or there is no such answer.
    std::optional<double> integer_value, greedy_value;
    double ms = 0;         // the search took
    bool optimal = false;  // nothing is better by the objective of the solver that was asked for
};

// The part of a model that lies in a GPU's memory and is computed there. The processor has the
// rest: attention of the other layers, the neurons of each layer from place hot_neurons[l] on, and
// always the embeddings.
struct GpuPart {
    std::vector<int> hot_neurons;  // [n_layer]: a layer's first places; empty: none
    // [n_layer][n_ff]: place i of layer l is neuron neuron_order[l][i] of the file. Empty, or empty
    // for a layer: the file's own order. Where a down projection is stored by output, the places of
    // each unit are one run of the file, beginning and ending at blocks of its type. What ascends
    // is loaded in one pass over the file.
    std::vector<std::vector<int>> neuron_order;
    std::vector<bool> attention_in_vram;  // [n_layer], with its norm and KV cache; empty: none
    bool output_in_vram = false;          // the final norm and the output head

    int hot(int layer) const {
        return hot_neurons.empty() ? 0 : hot_neurons[static_cast<std::size_t>(layer)];
    }
    bool has_attention(int layer) const {
        return !attention_in_vram.empty() && attention_in_vram[static_cast<std::size_t>(layer)];
    }
    // Where neurons are predicted, the layer's predictor lies where its attention does, and scores
    // the processor's neurons too.
    bool has_predictor(int layer) const { return has_attention(layer); }
    std::span<const int> order(int layer) const {
        return neuron_order.empty()
                   ? std::span<const int>{}
                   : std::span<const int>{neuron_order[static_cast<std::size_t>(layer)]};
    }
};

// How a GPU computes batches of a model that it does not hold whole: alone, with weights that it
// borrows from the processor through two slots of its memory. One slot is filled while the other is
// multiplied with.
struct Streaming {
    std::uint64_t slot_bytes = 0;
    int tokens_min = 0;  // smaller batches are split as single tokens are

    bool takes(int n_tokens) const { return slot_bytes > 0 && n_tokens >= tokens_min; }
};

struct Plan : GpuPart {
    // In order of layer, then of first neuron. A cluster's numbers are places; see neuron_order.
    std::vector<ClusterPlacement> clusters;
    int n_ctx = 0;
    int n_batch = 0;  // most tokens one forward pass takes
    int n_pasts = 1;  // conversations whose pasts are held at once
    int threads = 1;
    FeedForwardMode mode = FeedForwardMode::Dense;
    Streaming streaming;
    // Whether a GPU has counters for its neurons; see Executor::count_token().
    bool counts_firing = false;
    MemoryBytes ram;
    MemoryBytes vram;
    std::uint64_t ram_budget_bytes = 0;
    std::uint64_t vram_budget_bytes = 0;  // 0: no GPU
    std::optional<SolverReport> solver;   // empty: the GPU gets nothing
    std::vector<std::string> reasons;     // what was made smaller or left out, and why
};

}  // namespace hearth
