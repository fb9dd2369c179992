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
// Models' own layers are said to reach this, until guesses were judged.
constexpr double kFirstGuessRight = 0.7;
constexpr double kLaterGuess = 0.9;  // of the chance of the one before
// Guesses that are left out before one is tried: twice as many each time, up to kTryAgain. The
// first trials may have taken long for other reasons.
constexpr std::size_t kTryGuessSoon = 8;

// The first few count alike.
double weight_of(std::size_t n_seen) {
    return std::max(kLatest, 1.0 / static_cast<double>(n_seen));
}

}  // namespace

DraftLength::DraftLength() : guess_wait_(kTryGuessSoon) {
    double doubt = 1 - kShortestRight;
    for (std::size_t matched = TextDraft::kShortest; matched <= TextDraft::kLongest; ++matched) {
        chances_[matched].right = 1 - doubt;
        doubt *= kDoubtLeft;
    }
    double right = kFirstGuessRight;
    for (double& chance : right_guess_) {
        chance = right;
        right *= kLaterGuess;
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

double DraftLength::speed(std::size_t matched, std::size_t n) const {
    const Chance& chance = chances_[std::min(matched, TextDraft::kLongest)];
    double tokens = 1;  // expected
    double all_right = 1;
    for (std::size_t i = 0; i < n; ++i) {
        all_right *= chance.right;
        tokens += all_right;
    }
    return tokens / cost(n);
}

double DraftLength::speed_of_guesses(std::size_t n) const {
    double tokens = 1;
    double all_right = 1;
    for (std::size_t i = 0; i < n; ++i) {
        all_right *= right_guess_[i];
        tokens += all_right;
    }
    const double a_guess = guess_ms_ > 0 ? guess_ms_ : kUnknownDraft * cost(0);
    return tokens / (cost(n) + static_cast<double>(n) * a_guess);
}

std::size_t DraftLength::choose(std::size_t matched, std::size_t most) {
    Chance& chance = chances_[std::min(matched, TextDraft::kLongest)];
    most = std::min(most, kMost);
    std::size_t best = 0;
    double best_speed = kLeastGain / cost(0);
    for (std::size_t n = 1; n <= most; ++n) {
        if (const double its = speed(matched, n); its > best_speed) {
            best = n;
            best_speed = its;
        }
    }
    tries_text_ = best == 0 && most > 0 && ++chance.left_out >= kTryAgain;
    if (tries_text_) {
        best = std::min(most, kTryLength);
    }
    if (best > 0) {
        chance.left_out = 0;
    }
    return best;
}

std::size_t DraftLength::choose_guesses(std::size_t most, std::size_t matched,
                                        std::size_t of_text) {
    most = std::min(most, kMost);
    if (tries_text_ || most == 0 || ms_[0] == 0) {  // until there is something to compare with
        return 0;
    }
    std::size_t best = 0;
    double best_speed = of_text > 0 ? speed(matched, of_text) : kLeastGain / cost(0);
    for (std::size_t n = 1; n <= most; ++n) {
        if (const double its = speed_of_guesses(n); its > best_speed) {
            best = n;
            best_speed = its;
        }
    }
    if (best == 0 && of_text > 0) {
        return 0;
    }
    // The processor takes tokens by fours: what three guesses cost says more than what one does.
    if (best > 0 && guesses_seen_ == 0) {
        return std::min(most, kTryLength);
    }
    if (best == 0) {
        if (++guesses_left_out_ < guess_wait_) {
            return 0;
        }
        guess_wait_ = std::min(2 * guess_wait_, kTryAgain);
        best = std::min(most, kTryLength);
    } else if (best < most && ++guesses_as_many_ >= kTryAgain) {
        ++best;  // it may have become worth it: nothing else would show it
        guesses_as_many_ = 0;
    }
    guesses_left_out_ = 0;
    return best;
}

void DraftLength::passed(std::size_t n, double ms) {
    HEARTH_ASSERT(n <= kMost);
    // A pass that something else on this machine held up says little about the next.
    ++seen_[n];
    ms_[n] = ms_[n] == 0 ? ms : ms_[n] + weight_of(seen_[n]) * (std::min(ms, 2 * ms_[n]) - ms_[n]);
}

void DraftLength::guessed(std::size_t n, double ms) {
    HEARTH_ASSERT(n > 0);
    const double one = ms / static_cast<double>(n);
    ++guesses_seen_;
    guess_ms_ = guess_ms_ == 0 ? one
                               : guess_ms_ + weight_of(guesses_seen_) *
                                                 (std::min(one, 2 * guess_ms_) - guess_ms_);
}

void DraftLength::judged_guesses(std::size_t n, std::size_t n_right) {
    HEARTH_ASSERT(n_right <= n && n <= kMost);
    for (std::size_t i = 0; i < std::min(n_right + 1, n); ++i) {
        right_guess_[i] += kLatest * ((i < n_right ? 1.0 : 0.0) - right_guess_[i]);
    }
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
