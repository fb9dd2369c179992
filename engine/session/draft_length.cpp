#include "session/draft_length.h"

#include <algorithm>

#include "base/assert.h"

namespace hearth {
namespace {

constexpr double kLatest = 0.125;      // the weight of the latest pass
constexpr double kLeastGain = 1.05;    // that a draft must promise
constexpr double kUnknownDraft = 0.2;  // of a pass, what a draft adds until one was seen
// A match of the shortest length is right this often, and each token more takes a third off the
// doubt, until drafts were judged.
constexpr double kShortestRight = 0.25;
constexpr double kDoubtLeft = 0.67;
constexpr std::size_t kTryAgain = 64;  // drafts that are left out before one is tried
constexpr std::size_t kTryLength = 3;

}  // namespace

DraftLength::DraftLength() {
    double doubt = 1 - kShortestRight;
    for (std::size_t matched = TextDraft::kShortest; matched <= TextDraft::kLongest; ++matched) {
        chances_[matched].right = 1 - doubt;
        doubt *= kDoubtLeft;
    }
}

// Between two lengths that were seen it lies on the line between them.
double DraftLength::cost(std::size_t n) const {
    if (ms_[n] > 0) {
        return ms_[n];
    }
    std::size_t below = n;
    while (below > 0 && ms_[below] == 0) {
        --below;
    }
    std::size_t above = n;
    while (above <= kMost && ms_[above] == 0) {
        ++above;
    }
    const double base = ms_[below] > 0 ? ms_[below] : 1.0;
    const auto steps = static_cast<double>(n - below);
    if (above > kMost) {  // as the longest that was seen
        const double a_draft = below > 0 && ms_[0] > 0
                                   ? (ms_[below] - ms_[0]) / static_cast<double>(below)
                                   : kUnknownDraft * (ms_[0] > 0 ? ms_[0] : base);
        return base + steps * std::max(0.0, a_draft);
    }
    return base + (ms_[above] - base) * steps / static_cast<double>(above - below);
}

std::size_t DraftLength::choose(std::size_t matched, std::size_t most) {
    Chance& chance = chances_[std::min(matched, TextDraft::kLongest)];
    most = std::min(most, kMost);
    std::size_t best = 0;
    double best_speed = kLeastGain / cost(0);
    double tokens = 1;  // expected
    double all_right = 1;
    for (std::size_t n = 1; n <= most; ++n) {
        all_right *= chance.right;
        tokens += all_right;
        if (tokens / cost(n) > best_speed) {
            best = n;
            best_speed = tokens / cost(n);
        }
    }
    if (best == 0 && most > 0 && ++chance.left_out >= kTryAgain) {
        best = std::min(most, kTryLength);
    }
    if (best > 0) {
        chance.left_out = 0;
    }
    return best;
}

void DraftLength::passed(std::size_t n, double ms) {
    HEARTH_ASSERT(n <= kMost);
    // A pass that something else on this machine held up says little about the next.
    ms_[n] = ms_[n] == 0 ? ms : ms_[n] + kLatest * (std::min(ms, 2 * ms_[n]) - ms_[n]);
}

void DraftLength::judged(std::size_t matched, std::size_t n, std::size_t n_right) {
    HEARTH_ASSERT(n_right <= n);
    double& right = chances_[std::min(matched, TextDraft::kLongest)].right;
    for (std::size_t i = 0; i < n_right; ++i) {
        right += kLatest * (1 - right);
    }
    if (n_right < n) {
        right -= kLatest * right;
    }
}

}  // namespace hearth
