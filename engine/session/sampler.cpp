#include "session/sampler.h"

#include <algorithm>
#include <cmath>

namespace hearth {
namespace {

std::uint64_t fresh_seed() {
    std::random_device device;
    const std::uint64_t high = device();
    const std::uint64_t seed = (high << 32) ^ device();
    return seed != 0 ? seed : 1;
}

// A strict order even among equal logits, so that sorting has one outcome.
constexpr auto kBetter = [](const auto& a, const auto& b) {
    return a.logit != b.logit ? a.logit > b.logit : a.token < b.token;
};

}  // namespace

Sampler::Sampler(const SamplingOptions& options, int n_vocab)
    : options_(options), seed_(options.seed != 0 ? options.seed : fresh_seed()), random_(seed_) {
    candidates_.reserve(static_cast<std::size_t>(n_vocab));
    weights_.reserve(static_cast<std::size_t>(n_vocab));
}

void Sampler::penalise(std::span<float> logits, std::span<const std::int32_t> recent) const {
    if (options_.repeat_penalty == 1.0F || options_.repeat_last_n <= 0) {
        return;
    }
    const std::size_t n = std::min(recent.size(), static_cast<std::size_t>(options_.repeat_last_n));
    const auto last = recent.last(n);
    for (std::size_t i = 0; i < n; ++i) {
        // Once a token, however often it came; n is small.
        if (std::find(last.begin(), last.begin() + static_cast<std::ptrdiff_t>(i), last[i]) !=
            last.begin() + static_cast<std::ptrdiff_t>(i)) {
            continue;
        }
        float& logit = logits[static_cast<std::size_t>(last[i])];
        logit = logit > 0 ? logit / options_.repeat_penalty : logit * options_.repeat_penalty;
    }
}

std::size_t Sampler::keep_top_k() {
    const std::size_t all = candidates_.size();
    const std::size_t k =
        options_.top_k > 0 ? std::min(all, static_cast<std::size_t>(options_.top_k)) : all;
    const auto middle = candidates_.begin() + static_cast<std::ptrdiff_t>(k);
    if (k < all) {
        std::nth_element(candidates_.begin(), middle, candidates_.end(), kBetter);
    }
    std::sort(candidates_.begin(), middle, kBetter);
    return k;
}

// 53 random bits: the same on every platform, which std::uniform_real_distribution does not
// promise.
double Sampler::draw() {
    return static_cast<double>(random_() >> 11) * 0x1p-53;
}

Result<std::int32_t> Sampler::sample(std::span<float> logits,
                                     std::span<const std::int32_t> recent) {
    penalise(logits, recent);
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
    std::size_t count = keep_top_k();

    // Relative to the largest, so nothing overflows; the first weight is 1.
    weights_.clear();
    double total = 0;
    for (std::size_t i = 0; i < count; ++i) {
        weights_.push_back(
            std::exp(static_cast<double>(candidates_[i].logit - candidates_[0].logit) /
                     static_cast<double>(options_.temperature)));
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
