// Integer linear programs, through COIN-OR CBC, which is loaded when the first one is solved.
#pragma once

#include <string>
#include <vector>

#include <hearth/result.h>

namespace hearth {

// Maximise objective x, each x in [0, 1], the first n_binary of them 0 or 1; lower <= A x <= upper.
// A by columns: column c has entries [starts[c], starts[c + 1]) of `rows` and `values`.
struct IntegerProgram {
    int n_binary = 0;
    std::vector<double> objective;     // [columns]
    std::vector<int> starts{0};        // [columns + 1]
    std::vector<int> rows;             // [entries]
    std::vector<double> values;        // [entries]
    std::vector<double> lower, upper;  // [rows]; +-kNoBound: none
    std::vector<double> start;         // [columns], feasible; empty: none known

    static constexpr double kNoBound = 1e30;
};

struct IntegerSolution {
    std::vector<double> x;  // [columns]; empty: none was found
    bool optimal = false;   // proven
    int nodes = 0;          // of the branch and bound tree that were visited
};

// Unsupported: this build, or this machine, has no solver; the message says which. Internal: the
// solver failed. Stops after `seconds` of wall time or `nodes` with the best solution so far. One
// thread at a time; prints nothing.
Result<IntegerSolution> solve(const IntegerProgram& program, double seconds, int nodes);

}  // namespace hearth
