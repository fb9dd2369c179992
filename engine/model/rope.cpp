#include "model/rope.h"

#include <cmath>
#include <cstddef>

namespace hearth {

Rope::Rope(const RopeSpec& spec, std::span<const float> factors) : pairing_(spec.pairing) {
    const auto n_pairs = static_cast<std::size_t>(spec.dim / 2);
    frequencies_.reserve(n_pairs);
    for (std::size_t i = 0; i < n_pairs; ++i) {
        const double exponent = -2.0 * static_cast<double>(i) / spec.dim;
        const double factor = factors.empty() ? 1.0 : static_cast<double>(factors[i]);
        frequencies_.push_back(std::pow(static_cast<double>(spec.base), exponent) / factor /
                               static_cast<double>(spec.linear_factor));
    }
}

void Rope::angles(int position, float* out) const {
    for (std::size_t i = 0; i < frequencies_.size(); ++i) {
        const double angle = position * frequencies_[i];
        out[2 * i] = static_cast<float>(std::cos(angle));
        out[2 * i + 1] = static_cast<float>(std::sin(angle));
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
