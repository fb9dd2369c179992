// Random numbers that are the same on every platform and quick enough for billions of weights.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace hearth::bench {

// SplitMix64 (Steele, Lea, Flood 2014): one multiplication chain a number, seeds need no warm-up.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9U;
        z = (z ^ z >> 27) * 0x94D049BB133111EBU;
        return z ^ z >> 31;
    }

private:
    std::uint64_t state_;
};

// A seed for the index-th of the things that share `seed`.
inline std::uint64_t seed_of(std::uint64_t seed, std::uint64_t index) {
    return Random(seed ^ (index + 1) * 0xD1342543DE82EF95U).next();
}

inline double normal_density(double x) {
    return std::exp(-x * x / 2) * 0.3989422804014327;
}
// Share of a standard normal distribution below x, and the x below which a share lies.
inline double normal_below(double x) {
    return std::erfc(-x / std::sqrt(2.0)) / 2;
}
inline double normal_quantile(double share) {
    double low = -8;
    double high = 8;
    for (int step = 0; step < 60; ++step) {
        const double middle = (low + high) / 2;
        (normal_below(middle) < share ? low : high) = middle;
    }
    return low;
}

// 256 values of a standard normal distribution, equally likely; the greatest is about 2.9.
inline std::array<double, 256> normal_values() {
    std::array<double, 256> values{};
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] =
            normal_quantile((static_cast<double>(i) + 0.5) / static_cast<double>(values.size()));
    }
    return values;
}

}  // namespace hearth::bench
