// Random numbers that are the same on every machine, unlike those of <random>'s distributions.
#pragma once

#include <cmath>
#include <cstdint>

namespace hearth::tools {

class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    // SplitMix64 (Steele, Lea, Flood 2014).
    std::uint64_t next() {
        state_ += 0x9E3779B97F4A7C15U;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
        return z ^ (z >> 31);
    }
    // In [0, 1).
    double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
    // In [0, count); count > 0. Counts of tokens are far too small for the remainder to favour any.
    std::uint64_t below(std::uint64_t count) { return next() % count; }
    // Mean 0, variance 1 (Box and Muller 1958).
    double normal() {
        const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
        return radius * std::cos(6.283185307179586 * uniform());
    }

private:
    std::uint64_t state_;
};

}  // namespace hearth::tools
