// Logits to the next token.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include <hearth/engine.h>
#include <hearth/result.h>

namespace hearth {

// In this order: repetition penalty, temperature (0: the largest logit wins, the lower id among
// equals), top-k, top-p, min-p, draw. Equal options, seed and logits draw equal tokens on every
// platform. Allocates when made only.
class Sampler {
public:
    Sampler(const SamplingOptions& options, int n_vocab);

    // recent: the tokens so far, latest last. logits [n_vocab] may be changed. BadFile: not one
    // logit is a number.
    Result<std::int32_t> sample(std::span<float> logits, std::span<const std::int32_t> recent);

    std::uint64_t seed() const { return seed_; }

private:
    struct Candidate {
        float logit;
        std::int32_t token;
    };
    void penalise(std::span<float> logits, std::span<const std::int32_t> recent) const;
    std::size_t keep_top_k();
    double draw();

    SamplingOptions options_;
    std::uint64_t seed_ = 0;
    std::mt19937_64 random_;
    std::vector<Candidate> candidates_;
    std::vector<double> weights_;
};

}  // namespace hearth
