#include "session/dry_penalty.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hearth {

DryPenalty::DryPenalty(const SamplingOptions& options, std::vector<bool> breaks)
    : multiplier_(static_cast<double>(options.dry_multiplier)),
      base_(static_cast<double>(options.dry_base)),
      allowed_length_(static_cast<std::size_t>(std::max(1, options.dry_allowed_length))),
      last_n_(options.dry_last_n),
      breaks_(std::move(breaks)) {}

bool DryPenalty::breaks(std::int32_t token) const {
    const auto index = static_cast<std::size_t>(token);
    return index < breaks_.size() && breaks_[index];
}

std::span<const DryPenalty::Hit> DryPenalty::hits(std::span<const std::int32_t> text) {
    hits_.clear();
    const std::size_t n =
        last_n_ < 0 ? text.size() : std::min(text.size(), static_cast<std::size_t>(last_n_));
    // Read backwards, repetitions of the end are repetitions of the beginning.
    const auto at = [&](std::size_t i) { return text[text.size() - 1 - i]; };
    std::size_t longest = 0;  // tokens before the first one that breaks
    while (longest < n && !breaks(at(longest))) {
        ++longest;
    }
    if (!on() || longest < allowed_length_) {
        return hits_;
    }
    // The Z algorithm: repeats_[i] tokens from i on equal the first ones. [left, right) is the
    // stretch known to equal the beginning that reaches furthest.
    repeats_.assign(n, 0);
    std::size_t left = 0;
    std::size_t right = 0;
    for (std::size_t i = 1; i < n; ++i) {
        std::size_t length =
            i < right ? std::min<std::size_t>(right - i, repeats_[i - left]) : std::size_t{0};
        while (i + length < n && at(length) == at(i + length)) {
            ++length;
        }
        repeats_[i] = static_cast<std::uint32_t>(length);
        if (i + length > right) {
            left = i;
            right = i + length;
        }
        const std::size_t counted = std::min(length, longest);
        const std::int32_t next = at(i - 1);
        if (counted >= allowed_length_ && !breaks(next)) {
            hits_.push_back({next, counted});
        }
    }
    return hits_;
}

float DryPenalty::penalty(std::size_t length) const {
    const double raw = multiplier_ * std::pow(base_, static_cast<double>(length - allowed_length_));
    return static_cast<float>(std::min(raw, kMostPenalty));
}

}  // namespace hearth
