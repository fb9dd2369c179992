// A choice of rows of a stored matrix, in an order.
#pragma once

#include <cstdint>
#include <span>

namespace hearth {

// Rows [first, first + count) of the file, or of a permutation of its rows.
struct RowChoice {
    std::uint64_t count = 0;
    std::uint64_t first = 0;
    std::span<const int> order = {};  // place i is row order[i] of the file; empty: row i

    std::uint64_t in_file(std::uint64_t i) const {
        return order.empty() ? first + i : static_cast<std::uint64_t>(order[first + i]);
    }
};

}  // namespace hearth
