// The right candidates of a GPU, computed in the plainest way.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "compute/candidate.h"

namespace hearth::test {

inline std::vector<Candidate> best_of(std::span<const float> logits, std::size_t count) {
    std::vector<Candidate> all;
    for (std::size_t i = 0; i < logits.size(); ++i) {
        if (!std::isnan(logits[i])) {
            all.push_back({logits[i], static_cast<std::int32_t>(i)});
        }
    }
    std::sort(all.begin(), all.end(), better);
    all.resize(std::min(all.size(), count));
    return all;
}

inline bool same_candidates(std::span<const Candidate> a, std::span<const Candidate> b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
        return x.logit == y.logit && x.token == y.token;
    });
}

}  // namespace hearth::test
