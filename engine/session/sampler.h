// Draws the next token from logits.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <hearth/engine.h>
#include <hearth/result.h>

#include "compute/candidate.h"
#include "session/logit_changes.h"

namespace hearth {

// A bit for each token: whether it may come next. Token t is bit t % 64 of word t / 64.
using TokenMask = std::span<const std::uint64_t>;

inline bool may_come(TokenMask mask, std::int32_t token) {
    return (mask[static_cast<std::size_t>(token) / 64] >> (token % 64) & 1U) != 0;
}

// Applies in this order:
//  1. bias and penalties (LogitChanges)
//  2. the mask
//  3. temperature; 0: the largest logit wins, the lower id among equals, and nothing below counts
//  4. top-k
//  5. typical-p (Meister et al. 2022, "Locally Typical Sampling"): the tokens whose surprise is
//     nearest to the entropy, until their probabilities make up typical_p
//  6. top-p (Holtzman et al. 2019)
//  7. min-p (Nguyen et al. 2024): of the largest probability that is left
//  8. XTC (p-e-w, text-generation-webui pull request 6335), with xtc_probability: leaves out the
//     tokens of at least xtc_threshold, but for the least likely of them
//  9. draw
// Probabilities of steps 5 to 8 are of the tokens that the steps before left. Equal options, seed
// and logits draw equal tokens on every platform. Only the constructor allocates, but for DRY's
// memory of a longer text.
class Sampler {
public:
    Sampler(const SamplingOptions& options, int n_vocab, SamplerWords words = {});

    // recent: the tokens so far, latest last. mask: n_vocab bits; empty: every token may come. May
    // change logits [n_vocab]. BadFile: no logit is a number. InvalidArgument: bans and mask leave
    // no token.
    Result<std::int32_t> sample(std::span<float> logits, std::span<const std::int32_t> recent,
                                TokenMask mask = {});

    // Gives the token that sample() would give without a mask, from the best logits alone. best:
    // the first n_best logits by better(), or all that are numbers if there are fewer. Passes over
    // tokens beyond n_vocab. Returns nothing and draws nothing where other logits might change the
    // answer, or where sample() would fail. The caller then calls sample().
    std::optional<std::int32_t> sample_among(std::span<const Candidate> best, std::size_t n_best,
                                             std::span<const std::int32_t> recent);

    // The tokens that the latest draw was made among, likeliest first, with their probabilities.
    std::vector<std::pair<std::int32_t, double>> distribution() const;

    std::uint64_t seed() const { return seed_; }
    int n_vocab() const { return n_vocab_; }

private:
    struct Range {
        std::size_t first = 0;
        std::size_t end = 0;
    };
    std::int32_t greedy(const Candidate& best);
    std::size_t keep_top_k();
    double weight_of(const Candidate& candidate) const;
    // Picks among the first `count` of candidates_, which are in order.
    std::int32_t pick(std::size_t count);
    // Takes candidates out and returns how many are left, in order.
    std::size_t keep_typical(std::size_t count, double total);
    // How many of the likeliest of [0, count) XTC leaves out.
    std::size_t excluded(std::size_t count, double total);
    double draw();

    SamplingOptions options_;
    int n_vocab_ = 0;
    LogitChanges changes_;
    std::uint64_t seed_ = 0;
    std::mt19937_64 random_;
    std::vector<Candidate> candidates_;
    std::vector<double> weights_;  // of candidates_
    struct Surprise {
        double distance;  // to the entropy
        std::uint32_t index;
    };
    std::vector<Surprise> surprises_;
    Range drawn_among_;  // of candidates_
};

}  // namespace hearth
