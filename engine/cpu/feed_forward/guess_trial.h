// Finds out, on the tokens that are computed anyway, whether guessing the next layer's experts
// pays.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace hearth {

// Tokens are computed in pairs for a while, one with guesses and one without, in changing order.
// The winner is kept for many tokens, then tried again: a text, a disk or its other users may have
// changed. Guessing begins where it gains kBegins, and ends where it gains less than kStays, so
// that a result at the border does not go back and forth.
//
// Costs that nobody sees from within are part of a token's time: bytes that the processor copies,
// and reads that nobody wanted in front of others.
class GuessTrial {
public:
    static constexpr int kPairs = 24;
    static constexpr int kKept = 1024;  // tokens from one trial to the next
    static constexpr int kWarm = 8;     // tokens before the first one: slots fill
    static constexpr double kBegins = 0.03;
    static constexpr double kStays = 0.01;

    // True if the coming token shall guess.
    bool guesses() const;
    // A token has ended that did as guesses() said. misses: experts that were not in RAM; times are
    // compared as if tokens had missed as many.
    void ended(std::uint64_t ns, std::uint64_t misses);

    bool pays() const { return pays_; }
    // The share of a token's time that guessing saved in the latest trial. 0: there was none.
    double gain() const { return gain_; }
    int n_trials() const { return n_trials_; }

    struct Token {
        double ns = 0;
        double misses = 0;
    };
    using Tokens = std::array<Token, kPairs>;
    // The share of a token's time that is saved: of medians, where a token's time depends on its
    // misses as it does within either kind. A token that took more than twice the median counts as
    // that.
    static double gain_of(Tokens with, Tokens without);

private:
    void decide();

    Tokens with_{}, without_{};
    int waits_ = kWarm;  // tokens until the next trial
    int tried_ = 0;      // tokens of the running trial
    int n_trials_ = 0;
    bool pays_ = false;
    double gain_ = 0;
};

}  // namespace hearth
