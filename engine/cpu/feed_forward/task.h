// The task of one feed-forward block on the processor.
#pragma once

#include <span>

#include "compute/chosen_expert.h"
#include "model/cluster.h"

namespace hearth {

struct FeedForwardTask {
    int layer;
    const float* x;  // [n_tokens, n_residual], the residual stream before the norm
    float* y;        // [n_tokens, n_embd], overwritten: the sum over `clusters` of
                     // down(f(gate norm(x), up norm(x))); down's bias comes with place 0
    int n_tokens;
    std::span<const Cluster> clusters;  // of this layer, disjoint, by first neuron; first and count
                                        // multiples of 32, but for a last cluster that ends at
                                        // n_ff. Numbers are the plan's places, of neurons that the
                                        // executor holds.
    // Scores that a predictor on another unit gave the neurons of one token, by place from the
    // first neuron that the executor holds. They must be given where the executor has no predictor
    // of its own for a layer that is predicted.
    const float* scores = nullptr;
    // [n_tokens, n_used], what another unit's router chose. Null: the executor has the router.
    const ChosenExpert* chosen = nullptr;
    bool counts = true;  // what a token alone computes is added to activity()
    // [n_tokens, n_embd], the stream that the layer began with, where its router reads that
    // (ExpertsSpec::routed_early).
    const float* routed = nullptr;
    // [n_experts] of a layer whose neurons a router chooses: what hidden values of one token's
    // neurons are multiplied with before down. Null: with nothing.
    const float* expert_weights = nullptr;
};

}  // namespace hearth
