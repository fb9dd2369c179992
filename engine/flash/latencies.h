// Times, counted by size: a percentile costs no list of them all.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace hearth {

// Sixteen steps between two powers of two: a percentile is at most 1/16 above the time it stands
// for.
class Latencies {
public:
    void add(std::uint64_t ns) {
        ++counts_[step_of(ns)];
        ++total_;
    }
    // The shortest time that `share` (0 to 1) of all were not above; 0: there were none.
    std::uint64_t percentile(double share) const {
        const auto wanted = static_cast<double>(total_) * share;
        std::uint64_t seen = 0;
        for (std::size_t step = 0; step < counts_.size(); ++step) {
            seen += counts_[step];
            if (counts_[step] > 0 && static_cast<double>(seen) >= wanted) {
                return largest_of(step);
            }
        }
        return 0;
    }

private:
    static constexpr unsigned kBits = 4;
    static std::size_t step_of(std::uint64_t ns) {
        const unsigned shift =
            std::max(static_cast<unsigned>(std::bit_width(ns)), kBits + 1) - (kBits + 1);
        return (std::size_t{shift} << kBits) + static_cast<std::size_t>(ns >> shift);
    }
    static std::uint64_t largest_of(std::size_t step) {
        if (step < (std::size_t{2} << kBits)) {
            return step;
        }
        const std::size_t shift = (step >> kBits) - 1;
        const std::uint64_t top = step - (shift << kBits);
        return ((top + 1) << shift) - 1;
    }

    std::array<std::uint64_t, std::size_t{62} << kBits> counts_{};
    std::uint64_t total_ = 0;
};

}  // namespace hearth
