#include "grammar/code_points.h"

#include <algorithm>

namespace hearth {
namespace {

constexpr CodePointRange kSurrogates{0xD800, 0xDFFF};

}  // namespace

CodePoints code_points(std::span<const CodePointRange> ranges) {
    CodePoints sorted;
    for (CodePointRange range : ranges) {
        range.last = std::min(range.last, kLastCodePoint);
        if (range.first > range.last) {
            continue;
        }
        if (range.first < kSurrogates.first) {
            sorted.push_back({range.first, std::min(range.last, kSurrogates.first - 1)});
        }
        if (range.last > kSurrogates.last) {
            sorted.push_back({std::max(range.first, kSurrogates.last + 1), range.last});
        }
    }
    std::sort(sorted.begin(), sorted.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    CodePoints merged;
    for (const CodePointRange& range : sorted) {
        if (!merged.empty() && range.first <= merged.back().last + 1) {
            merged.back().last = std::max(merged.back().last, range.last);
        } else {
            merged.push_back(range);
        }
    }
    return merged;
}

CodePoints all_but(const CodePoints& set) {
    CodePoints rest;
    std::uint32_t next = 0;
    for (const CodePointRange& range : set) {
        if (range.first > next) {
            rest.push_back({next, range.first - 1});
        }
        next = range.last + 1;
    }
    if (next <= kLastCodePoint) {
        rest.push_back({next, kLastCodePoint});
    }
    return code_points(rest);
}

CodePoints both(const CodePoints& a, const CodePoints& b) {
    CodePoints shared;
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        const std::uint32_t first = std::max(a[i].first, b[j].first);
        const std::uint32_t last = std::min(a[i].last, b[j].last);
        if (first <= last) {
            shared.push_back({first, last});
        }
        (a[i].last < b[j].last ? i : j) += 1;
    }
    return shared;
}

bool contains(const CodePoints& set, std::uint32_t code_point) {
    return std::any_of(set.begin(), set.end(), [&](const CodePointRange& range) {
        return range.first <= code_point && code_point <= range.last;
    });
}

}  // namespace hearth
