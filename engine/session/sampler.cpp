#include "session/sampler.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace hearth {
namespace {

std::uint64_t fresh_seed() {
    std::random_device device;
    const std::uint64_t high = device();
    const std::uint64_t seed = (high << 32) ^ device();
    return seed != 0 ? seed : 1;
}

}  // namespace

Sampler::Sampler(const SamplingOptions& options, int n_vocab)
    : options_(options),
      n_vocab_(n_vocab),
      seed_(options.seed != 0 ? options.seed : fresh_seed()),
      random_(seed_) {
    candidates_.reserve(static_cast<std::size_t>(n_vocab));
    weights_.reserve(static_cast<std::size_t>(n_vocab));
}

bool Sampler::penalises() const {
    return options_.repeat_penalty != 1.0F && options_.repeat_last_n > 0;
}

bool Sampler::lowers() const {
    return options_.repeat_penalty > 1.0F && std::isfinite(options_.repeat_penalty);
}

template <class Visit>
void Sampler::for_each_penalised(std::span<const std::int32_t> recent, Visit&& visit) const {
    if (!penalises()) {
        return;
    }
    const std::size_t n = std::min(recent.size(), static_cast<std::size_t>(options_.repeat_last_n));
    const auto last = recent.last(n);
    for (std::size_t i = 0; i < n; ++i) {
        // Visit a token once, however often it came. n is small.
        if (std::find(last.begin(), last.begin() + static_cast<std::ptrdiff_t>(i), last[i]) ==
            last.begin() + static_cast<std::ptrdiff_t>(i)) {
            visit(last[i]);
        }
    }
}

float Sampler::penalised(float logit) const {
    return logit > 0 ? logit / options_.repeat_penalty : logit * options_.repeat_penalty;
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

Result<std::int32_t> Sampler::sample(std::span<float> logits,
                                     std::span<const std::int32_t> recent) {
    for_each_penalised(recent, [&](std::int32_t token) {
        float& logit = logits[static_cast<std::size_t>(token)];
        logit = penalised(logit);
    });
    if (options_.temperature <= 0.0F) {
        std::int32_t best = -1;
        for (std::size_t i = 0; i < logits.size(); ++i) {
            if (!std::isnan(logits[i]) &&
                (best < 0 || logits[i] > logits[static_cast<std::size_t>(best)])) {
                best = static_cast<std::int32_t>(i);
            }
        }
        if (best < 0) {
            return Error{ErrorCode::BadFile,
                         "the model computes no numbers: its weights are damaged"};
        }
        return best;
    }

    candidates_.clear();
    for (std::size_t i = 0; i < logits.size(); ++i) {
        if (std::isfinite(logits[i])) {
            candidates_.push_back({logits[i], static_cast<std::int32_t>(i)});
        }
    }
    if (candidates_.empty()) {
        return Error{ErrorCode::BadFile, "the model computes no numbers: its weights are damaged"};
    }
    return pick(keep_top_k());
}

// A logit that is not in `best` is worse than the last one in it. It stays worse, because a penalty
// above 1 raises no logit. So the candidates that are still no worse than that last one are the
// best of all, in order. They suffice for the largest, and for top-k if there are k of them. They
// suffice for min-p if it cuts among them and top-p is off; top-p needs the sum of all. If `best`
// has fewer than n_best entries, there are no other logits.
std::optional<std::int32_t> Sampler::sample_among(std::span<const Candidate> best,
                                                  std::size_t n_best,
                                                  std::span<const std::int32_t> recent) {
    if (best.empty() || (penalises() && !lowers())) {
        return std::nullopt;
    }
    candidates_.clear();
    std::copy_if(best.begin(), best.end(), std::back_inserter(candidates_),
                 [&](const Candidate& one) { return one.token < n_vocab_; });
    for_each_penalised(recent, [&](std::int32_t token) {
        const auto found = std::find_if(candidates_.begin(), candidates_.end(),
                                        [&](const Candidate& one) { return one.token == token; });
        if (found != candidates_.end()) {
            found->logit = penalised(found->logit);
        }
    });
    const bool all = best.size() < n_best;
    const bool greedy = options_.temperature <= 0.0F;
    std::erase_if(candidates_, [&](const Candidate& one) {
        return (!all && better(best.back(), one)) || (!greedy && !std::isfinite(one.logit));
    });
    std::sort(candidates_.begin(), candidates_.end(), better);
    if (candidates_.empty()) {
        return std::nullopt;
    }
    if (greedy) {
        return candidates_.front().token;
    }
    const std::size_t n = candidates_.size();
    const std::size_t k = options_.top_k > 0 ? static_cast<std::size_t>(options_.top_k) : SIZE_MAX;
    const bool min_p_cuts = options_.top_p >= 1.0F && options_.min_p > 0.0F &&
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
        std::size_t kept = 1;
        double sum = weights_[0];
        while (kept < count && weights_[kept] >= static_cast<double>(options_.min_p)) {
            sum += weights_[kept++];
        }
        count = kept;
        total = sum;
    }
    double left = draw() * total;
    for (std::size_t i = 0; i + 1 < count; ++i) {
        left -= weights_[i];
        if (left < 0) {
            return candidates_[i].token;
        }
    }
    return candidates_[count - 1].token;
}

}  // namespace hearth
