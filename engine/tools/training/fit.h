// Teaching a predictor what it saw, and judging it on what it did not see.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include <hearth/cancellation.h>
#include <hearth/result.h>

#include "base/thread_pool.h"
#include "tools/training/net.h"
#include "tools/training/samples.h"

namespace hearth::tools {

// What it costs to miss a neuron that fired with value h: the square of |h| times the length of its
// column of `down`, which is what the block's output loses. Where neurons' columns are unrelated
// these add up to the squared error of the output.
inline float importance(Fired fired, std::span<const float> down_norms) {
    const float loss = magnitude_of(fired) * down_norms[static_cast<std::size_t>(neuron_of(fired))];
    return loss * loss;
}

struct FitOptions {
    int passes = 6;  // over all tokens
    std::uint64_t seed = 1;
    // Of all neurons that fire, the sum of weights against the number that do not. The larger, the
    // more neurons are worth an effort.
    double balance = 0.25;
    float rate = 6e-3F;  // of Adam, falling to 0 along a cosine
};

// Teaches `net` to score the neurons that fire above those that do not, the important ones most:
// weighted cross-entropy over mini-batches in random order. down_norms: [n_ff]. Deterministic for a
// seed, whatever the number of threads. progress(share done) after every few batches. Cancelled;
// InvalidArgument: no tokens, or none of the neurons ever fired.
Result<void> fit(PredictorNet& net, const std::vector<TokenSample>& tokens,
                 std::span<const float> down_norms, const FitOptions& options, ThreadPool& pool,
                 const std::function<void(double)>& progress, const Cancellation& cancellation);

// Shares are of [0, 1].
struct PredictorQuality {
    float threshold = 0.0F;
    double recall = 0;           // of the neurons that fired, those predicted
    double weighted_recall = 0;  // likewise, each counted with its importance
    double precision = 0;        // of the predicted, those that fired
    double predicted = 0;        // of all neurons
    double active = 0;           // of all neurons: fired
};

// The highest threshold that keeps weighted_recall >= target on these tokens, and what it gives.
// The same for every number of threads. Cancelled.
Result<PredictorQuality> calibrate(PredictorNet& net, const std::vector<TokenSample>& tokens,
                                   std::span<const float> down_norms, double target,
                                   ThreadPool& pool, const Cancellation& cancellation);

}  // namespace hearth::tools
