// Draws the next token from logits.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include <hearth/engine.h>
#include <hearth/result.h>

#include "compute/candidate.h"

namespace hearth {

// Applies in this order: repetition penalty, temperature (0: the largest logit wins, the lower id
// among equals), top-k, top-p, min-p, draw. Equal options, seed and logits draw equal tokens on
// every platform. Only the constructor allocates.
class Sampler {
public:
    Sampler(const SamplingOptions& options, int n_vocab);

    // recent: the tokens so far, latest last. May change logits [n_vocab]. BadFile: no logit is a
    // number.
    Result<std::int32_t> sample(std::span<float> logits, std::span<const std::int32_t> recent);

    // Gives the token that sample() would give, from the best logits alone. best: the first n_best
    // logits by better(), or all that are numbers if there are fewer. Passes over tokens beyond
    // n_vocab. Returns nothing and draws nothing where other logits might change the answer, or
    // where sample() would fail. The caller then calls sample().
    std::optional<std::int32_t> sample_among(std::span<const Candidate> best, std::size_t n_best,
                                             std::span<const std::int32_t> recent);

    std::uint64_t seed() const { return seed_; }
    int n_vocab() const { return n_vocab_; }

private:
    bool penalises() const;
    bool lowers() const;  // no penalty raises a logit or makes it no number
    // Calls visit(token) for each token that is penalised.
    template <class Visit>
    void for_each_penalised(std::span<const std::int32_t> recent, Visit&& visit) const;
    float penalised(float logit) const;
    std::size_t keep_top_k();
    double weight_of(const Candidate& candidate) const;
    // Picks among the first `count` of candidates_, which are in order.
    std::int32_t pick(std::size_t count);
    double draw();

    SamplingOptions options_;
    int n_vocab_ = 0;
    std::uint64_t seed_ = 0;
    std::mt19937_64 random_;
    std::vector<Candidate> candidates_;
    std::vector<double> weights_;
};

}  // namespace hearth
