// Sets of Unicode code points.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hearth {

inline constexpr std::uint32_t kLastCodePoint = 0x10FFFF;

struct CodePointRange {
    std::uint32_t first;
    std::uint32_t last;  // included
    friend bool operator==(const CodePointRange&, const CodePointRange&) = default;
};

// Sorted, apart from each other, and free of surrogates, which UTF-8 cannot spell.
using CodePoints = std::vector<CodePointRange>;

// Sorts ranges of any order, and cuts them at kLastCodePoint.
CodePoints code_points(std::span<const CodePointRange> ranges);
inline CodePoints code_points(std::initializer_list<CodePointRange> ranges) {
    return code_points(std::span<const CodePointRange>(ranges.begin(), ranges.size()));
}
CodePoints all_but(const CodePoints& set);
CodePoints both(const CodePoints& a, const CodePoints& b);
bool contains(const CodePoints& set, std::uint32_t code_point);

}  // namespace hearth
