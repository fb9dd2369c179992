// A token that may come next.
#pragma once

#include <cstdint>

namespace hearth {

// As a GPU leaves it in memory.
struct Candidate {
    float logit;
    std::int32_t token;
};
static_assert(sizeof(Candidate) == 8);

// Orders candidates strictly, also those with equal logits, so that sorting has one outcome.
// Precondition: neither logit is NaN.
constexpr bool better(const Candidate& a, const Candidate& b) {
    return a.logit != b.logit ? a.logit > b.logit : a.token < b.token;
}

}  // namespace hearth
