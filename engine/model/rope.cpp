#include "model/rope.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace hearth {
namespace {

// The share of a pair's frequency that YaRN divides: from 0 at the pair that turns beta_fast times
// in the original context to 1 at the one that turns beta_slow times (Peng et al. 2023,
// section 3.2, as their code rounds it: to whole pairs).
double divided_share(const RopeSpec& spec, std::size_t pair) {
    if (spec.yarn_context == 0) {
        return 1;
    }
    const auto pair_that_turns = [&](float times) {
        constexpr double kTurn = 2 * 3.14159265358979323846;
        return spec.dim * std::log(spec.yarn_context / (static_cast<double>(times) * kTurn)) /
               (2 * std::log(static_cast<double>(spec.base)));
    };
    const double first = std::max(0.0, std::floor(pair_that_turns(spec.yarn_beta_fast)));
    const double last = std::min(spec.dim - 1.0, std::ceil(pair_that_turns(spec.yarn_beta_slow)));
    const double place = (static_cast<double>(pair) - first) / std::max(0.001, last - first);
    return std::clamp(place, 0.0, 1.0);
}

}  // namespace

Rope::Rope(const RopeSpec& spec, std::span<const float> factors)
    : pairing_(spec.pairing), magnitude_(static_cast<double>(spec.magnitude)) {
    const auto n_pairs = static_cast<std::size_t>(spec.dim / 2);
    frequencies_.reserve(n_pairs);
    for (std::size_t i = 0; i < n_pairs; ++i) {
        const double exponent = -2.0 * static_cast<double>(i) / spec.dim;
        const double factor =
            factors.empty() || !spec.factored ? 1.0 : static_cast<double>(factors[i]);
        const double own = std::pow(static_cast<double>(spec.base), exponent) / factor;
        const double divided = own / static_cast<double>(spec.linear_factor);
        const double share = divided_share(spec, i);
        frequencies_.push_back(share == 1 ? divided : divided * share + own * (1 - share));
    }
}

void Rope::angles(int position, float* out) const {
    for (std::size_t i = 0; i < frequencies_.size(); ++i) {
        const double angle = position * frequencies_[i];
        out[2 * i] = static_cast<float>(magnitude_ * std::cos(angle));
        out[2 * i + 1] = static_cast<float>(magnitude_ * std::sin(angle));
    }
}

void Rope::rotate(const float* angles, float* x, int n_heads, int head_dim) const {
    const std::size_t n_pairs = frequencies_.size();
    const bool neighbours = pairing_ == RopePairing::Neighbours;
    for (int head = 0; head < n_heads; ++head, x += head_dim) {
        for (std::size_t i = 0; i < n_pairs; ++i) {
            float& a = neighbours ? x[2 * i] : x[i];
            float& b = neighbours ? x[2 * i + 1] : x[i + n_pairs];
            const float cosine = angles[2 * i];
            const float sine = angles[2 * i + 1];
            const float rotated = a * cosine - b * sine;
            b = a * sine + b * cosine;
            a = rotated;
        }
    }
}

}  // namespace hearth
