// A choice of rows of a stored matrix, in an order.
#pragma once

#include <cstdint>
#include <span>

namespace hearth {

// Rows [first, first + count) of the file, or of a permutation of its rows.
struct RowChoice {
    std::uint64_t count = 0;
    std::uint64_t first = 0;
    std::span<const int> order = {};  // run i is run order[i] of the file; empty: run i
    std::uint64_t run = 1;            // rows that stay together
    std::uint64_t run_step = 0;       // rows of the file from one run to the next; 0: run

    std::uint64_t step() const { return run_step == 0 ? run : run_step; }
    std::uint64_t in_file(std::uint64_t i) const {
        const std::uint64_t place = first + i;
        const std::uint64_t at = place / run;
        return (order.empty() ? at : static_cast<std::uint64_t>(order[at])) * step() + place % run;
    }
    // The runs that are chosen; empty where they lie as in the file.
    std::span<const int> chosen_runs() const {
        return order.empty() ? order
                             : order.subspan(first / run, (first % run + count + run - 1) / run);
    }
};

}  // namespace hearth
