// What a sparse model's neurons do on random tokens, measured with the reference computation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hearth::bench {

struct SparseLayerReport {
    double density = 0;     // share of hidden values that are not zero
    double gate_open = 0;   // share of positive gate values
    double busy_share = 0;  // of all firings, what the most frequent 26 % of the neurons take
    double jaccard = 0;     // mean of neighbouring tokens: fired by both / fired by either
    double recall = 0;      // of what fires, the share predicted; 0 without a predictor
    double precision = 0;   // of what is predicted, the share that fires
    double hot_overlap =
        0;  // with the layer before: of its busiest 26 %, the share that is here too
};

// Runs `n_tokens` random tokens (no token twice in a row) as one text. Empty: ReferenceModel cannot
// open the file. busy_share of few tokens is too high: the busiest are told by the same tokens.
std::optional<std::vector<SparseLayerReport>> report_sparse_model(const std::string& path,
                                                                  int n_tokens, std::uint64_t seed,
                                                                  int threads);

}  // namespace hearth::bench
