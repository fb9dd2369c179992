// What a unit says about the feed-forward blocks that it computed.
#pragma once

#include <cstdint>

#include "plan/plan.h"

namespace hearth {

// What single tokens computed of a unit's part of a layer's feed-forward block so far. Batches are
// not counted, nor are tokens whose pass says so.
struct LayerActivity {
    FeedForwardMode path = FeedForwardMode::Dense;
    std::uint64_t passed = 0;     // tokens, by any path
    std::uint64_t computed = 0;   // neurons whose gate was open, or all of them on a dense path
    std::uint64_t down_rows = 0;  // read of a down projection that is stored by neuron
    // Of tokens computed by a path that leaves neurons out, or could have.
    std::uint64_t tokens = 0;
    std::uint64_t neurons = 0;   // all the unit holds of the layer, once a token
    std::uint64_t examined = 0;  // whose gate was computed (ungated blocks: up)
    std::uint64_t opened = 0;    // whose gate was open; but for Dense, only of them up was computed
    std::uint64_t fired = 0;     // whose hidden value was not 0, so that down was computed
    std::uint64_t inputs = 0;    // of gate and up, where thresholds leave some out; else 0
    std::uint64_t inputs_kept = 0;

    // The unit's experts that were chosen, if the layer is a mixture, and those of them that memory
    // did not have.
    std::uint64_t experts = 0;
    std::uint64_t experts_read = 0;

    std::uint64_t blocks = 0;    // computed for a token alone, by whatever path, counted or not
    std::uint64_t block_ns = 0;  // time of all of them, without the norm
};

// The inputs of one feed-forward block and the hidden values of its neurons. Valid during the call.
struct FeedForwardRecord {
    int layer;
    int n_tokens;
    const float* residual;  // [n_tokens, n_embd], the residual stream before the norm
    const float* normed;    // [n_tokens, n_embd], what gate and up are multiplied with
    const float* hidden;    // [n_tokens, n_ff], f(gate, up): 0 where a neuron does not fire
    int n_ff;
};

// Called on the thread that runs the steps, once per block, layers in order.
struct FeedForwardObserver {
    virtual ~FeedForwardObserver() = default;
    virtual void observed(const FeedForwardRecord& record) = 0;
};

}  // namespace hearth
