#include "session/sampler.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

namespace hearth {
namespace {

std::uint64_t fresh_seed() {
    std::random_device device;
    const std::uint64_t high = device();
    const std::uint64_t seed = (high << 32) ^ device();
    return seed != 0 ? seed : 1;
}

}  // namespace

Sampler::Sampler(const SamplingOptions& options, int n_vocab, SamplerWords words)
    : options_(options),
      n_vocab_(n_vocab),
      changes_(options, n_vocab, std::move(words)),
      seed_(options.seed != 0 ? options.seed : fresh_seed()),
      random_(seed_) {
    candidates_.reserve(static_cast<std::size_t>(n_vocab));
    weights_.reserve(static_cast<std::size_t>(n_vocab));
    if (options.typical_p < 1.0F) {
        surprises_.reserve(static_cast<std::size_t>(n_vocab));
    }
}

std::size_t Sampler::keep_top_k() {
    const std::size_t all = candidates_.size();
    const std::size_t k =
        options_.top_k > 0 ? std::min(all, static_cast<std::size_t>(options_.top_k)) : all;
    const auto middle = candidates_.begin() + static_cast<std::ptrdiff_t>(k);
    if (k < all) {
        std::nth_element(candidates_.begin(), middle, candidates_.end(), better);
    }
    std::sort(candidates_.begin(), middle, better);
    return k;
}

// Draws 53 random bits. They are the same on every platform, which std::uniform_real_distribution
// does not promise.
double Sampler::draw() {
    return static_cast<double>(random_() >> 11) * 0x1p-53;
}

Result<std::int32_t> Sampler::sample(std::span<float> logits, std::span<const std::int32_t> recent,
                                     TokenMask mask) {
    const bool narrowed = !mask.empty() || changes_.bans();
    const bool any_number = !narrowed || std::any_of(logits.begin(), logits.end(), [](float logit) {
        return std::isfinite(logit);
    });
    const auto nothing = [&] {
        return narrowed && any_number
                   ? Error{ErrorCode::InvalidArgument,
                           mask.empty() ? "the logit bias bans every token that may come next"
                                        : "the logit bias bans every token that the grammar allows "
                                          "next",
                           {},
                           "logit_bias"}
                   : Error{ErrorCode::BadFile,
                           "the model computes no numbers: its weights are damaged"};
    };
    if (changes_.on()) {
        changes_.look_at(recent);
        for (const std::int32_t token : changes_.tokens()) {
            if (static_cast<std::size_t>(token) < logits.size()) {
                float& logit = logits[static_cast<std::size_t>(token)];
                logit = changes_.changed(token, logit);
            }
        }
    }
    if (!mask.empty()) {
        for (std::size_t i = 0; i < logits.size(); ++i) {
            if (!may_come(mask, static_cast<std::int32_t>(i))) {
                logits[i] = std::numeric_limits<float>::quiet_NaN();
            }
        }
    }
    if (options_.temperature <= 0.0F) {
        std::int32_t best = -1;
        for (std::size_t i = 0; i < logits.size(); ++i) {
            if (!std::isnan(logits[i]) &&
                (best < 0 || logits[i] > logits[static_cast<std::size_t>(best)])) {
                best = static_cast<std::int32_t>(i);
            }
        }
        if (best < 0) {
            return nothing();
        }
        return greedy({logits[static_cast<std::size_t>(best)], best});
    }

    candidates_.clear();
    for (std::size_t i = 0; i < logits.size(); ++i) {
        if (std::isfinite(logits[i])) {
            candidates_.push_back({logits[i], static_cast<std::int32_t>(i)});
        }
    }
    if (candidates_.empty()) {
        return nothing();
    }
    return pick(keep_top_k());
}

std::int32_t Sampler::greedy(const Candidate& best) {
    candidates_.assign(1, best);
    weights_.assign(1, 1.0);
    drawn_among_ = {0, 1};
    return best.token;
}

// A logit that is not in `best` is worse than the last one in it. It stays worse, because no change
// raises a logit; where one might, all logits are needed. So the candidates that are still no worse
// than that last one are the best of all, in order. They suffice for the largest, and for top-k if
// there are k of them: all later steps look at what top-k left. They suffice for min-p if it cuts
// among them and nothing before it needs the sum of all, as typical-p and top-p do. If `best` has
// fewer than n_best entries, there are no other logits.
std::optional<std::int32_t> Sampler::sample_among(std::span<const Candidate> best,
                                                  std::size_t n_best,
                                                  std::span<const std::int32_t> recent) {
    if (best.empty() || !changes_.lower_only()) {
        return std::nullopt;
    }
    candidates_.clear();
    std::copy_if(best.begin(), best.end(), std::back_inserter(candidates_),
                 [&](const Candidate& one) { return one.token < n_vocab_; });
    if (changes_.on()) {
        changes_.look_at(recent);
        for (Candidate& one : candidates_) {
            one.logit = changes_.changed(one.token, one.logit);
        }
    }
    const bool all = best.size() < n_best;
    const bool is_greedy = options_.temperature <= 0.0F;
    std::erase_if(candidates_, [&](const Candidate& one) {
        return std::isnan(one.logit) || (!all && better(best.back(), one)) ||
               (!is_greedy && !std::isfinite(one.logit));
    });
    std::sort(candidates_.begin(), candidates_.end(), better);
    if (candidates_.empty()) {
        return std::nullopt;
    }
    if (is_greedy) {
        return greedy(candidates_.front());
    }
    const std::size_t n = candidates_.size();
    const std::size_t k = options_.top_k > 0 ? static_cast<std::size_t>(options_.top_k) : SIZE_MAX;
    const bool min_p_cuts = options_.typical_p >= 1.0F && options_.top_p >= 1.0F &&
                            options_.min_p > 0.0F &&
                            weight_of(candidates_.back()) < static_cast<double>(options_.min_p);
    if (n < k && !all && !min_p_cuts) {
        return std::nullopt;
    }
    return pick(std::min(n, k));
}

// The weight relative to that of the largest logit, so that nothing overflows. The first weight
// is 1.
double Sampler::weight_of(const Candidate& candidate) const {
    return std::exp(static_cast<double>(candidate.logit - candidates_[0].logit) /
                    static_cast<double>(options_.temperature));
}

std::int32_t Sampler::pick(std::size_t count) {
    weights_.clear();
    double total = 0;
    for (std::size_t i = 0; i < count; ++i) {
        weights_.push_back(weight_of(candidates_[i]));
        total += weights_.back();
    }
    if (options_.typical_p < 1.0F) {
        count = keep_typical(count, total);
        total = std::accumulate(weights_.begin(), weights_.end(), 0.0);
    }
    if (options_.top_p < 1.0F) {
        const double enough = static_cast<double>(std::max(0.0F, options_.top_p)) * total;
        double sum = 0;
        std::size_t kept = 0;
        while (kept < count && (kept == 0 || sum < enough)) {
            sum += weights_[kept++];
        }
        count = kept;
        total = sum;
    }
    if (options_.min_p > 0.0F) {
        const double least = static_cast<double>(options_.min_p) * weights_[0];
        std::size_t kept = 1;
        double sum = weights_[0];
        while (kept < count && weights_[kept] >= least) {
            sum += weights_[kept++];
        }
        count = kept;
        total = sum;
    }
    const std::size_t first = excluded(count, total);
    if (first > 0) {
        total = std::accumulate(weights_.begin() + static_cast<std::ptrdiff_t>(first),
                                weights_.begin() + static_cast<std::ptrdiff_t>(count), 0.0);
    }
    drawn_among_ = {first, count};
    double left = draw() * total;
    for (std::size_t i = first; i + 1 < count; ++i) {
        left -= weights_[i];
        if (left < 0) {
            return candidates_[i].token;
        }
    }
    return candidates_[count - 1].token;
}

std::size_t Sampler::keep_typical(std::size_t count, double total) {
    const auto surprise = [&](std::size_t i) { return std::log(total) - std::log(weights_[i]); };
    double entropy = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (weights_[i] > 0) {  // the limit of p log p is 0
            entropy += weights_[i] / total * surprise(i);
        }
    }
    surprises_.clear();
    for (std::size_t i = 0; i < count; ++i) {
        surprises_.push_back({std::fabs(surprise(i) - entropy), static_cast<std::uint32_t>(i)});
    }
    std::sort(surprises_.begin(), surprises_.end(), [](const Surprise& a, const Surprise& b) {
        return a.distance != b.distance ? a.distance < b.distance : a.index < b.index;
    });
    const double enough = static_cast<double>(std::max(0.0F, options_.typical_p)) * total;
    double sum = 0;
    std::size_t kept = 0;
    while (kept < count && (kept == 0 || sum < enough)) {
        sum += weights_[surprises_[kept++].index];
    }
    std::sort(surprises_.begin(), surprises_.begin() + static_cast<std::ptrdiff_t>(kept),
              [](const Surprise& a, const Surprise& b) { return a.index < b.index; });
    for (std::size_t i = 0; i < kept; ++i) {  // indices only grow: nothing is overwritten early
        candidates_[i] = candidates_[surprises_[i].index];
        weights_[i] = weights_[surprises_[i].index];
    }
    weights_.resize(kept);
    return kept;
}

// Above one half at most one token reaches the threshold, so there is nothing to toss for.
std::size_t Sampler::excluded(std::size_t count, double total) {
    if (options_.xtc_probability <= 0.0F || options_.xtc_threshold > 0.5F) {
        return 0;
    }
    if (draw() >= static_cast<double>(options_.xtc_probability)) {
        return 0;
    }
    const double least = static_cast<double>(options_.xtc_threshold) * total;
    std::size_t likely = 0;
    while (likely < count && weights_[likely] >= least) {
        ++likely;
    }
    return likely > 0 ? likely - 1 : 0;
}

std::vector<std::pair<std::int32_t, double>> Sampler::distribution() const {
    double total = 0;
    for (std::size_t i = drawn_among_.first; i < drawn_among_.end; ++i) {
        total += weights_[i];
    }
    std::vector<std::pair<std::int32_t, double>> shares;
    for (std::size_t i = drawn_among_.first; i < drawn_among_.end; ++i) {
        shares.emplace_back(candidates_[i].token, weights_[i] / total);
    }
    return shares;
}

}  // namespace hearth
