// The best split by what the whole plan is judged by: the forecast time of a token.
#pragma once

#include <optional>

#include "plan/placement.h"

namespace hearth {

// Maximises the sum of values less opening costs, over the same constraints, exactly and without a
// solver: a dynamic programme over bytes, whose answer depends on nothing but the problem. So what
// it finds with more bytes_max, or less bytes_min, is never worth less: its choices include all
// that were there before. place() cannot promise that: its objective leaves out what opening a
// layer costs, and its solver may run out of time.
//
// Time: layers x K x log K, where K is bytes_max over the greatest common divisor of the groups'
// bytes; K is at most 2^18 and layers x K at most 2^23. Beyond that groups' bytes are rounded up to
// a multiple of the model's bytes, the same for every budget, and `exact` is false.
struct BestSplit {
    Split split;
    bool exact = true;
};
// Empty: no split keeps the constraints.
std::optional<BestSplit> best_split(const PlacementProblem& problem);

}  // namespace hearth
