// How many drafted tokens to pass with a token, by what passes cost and how often drafts were
// right.
#pragma once

#include <array>
#include <cstddef>

#include "session/prompt_lookup.h"

namespace hearth {

// A pass of a token and n drafts costs more than one of the token alone, and gives 1 + n tokens at
// best. The length with the most tokens for the time is chosen; 0 if that is none. Costs and
// chances follow the latest passes. Drafts that did not pay are tried again now and then. Drafts of
// the text cost nothing to make; guesses of the model's own layer do. Only speed depends on it,
// never the text. One thread.
class DraftLength {
public:
    static constexpr std::size_t kMost = 7;  // with their token two groups of four

    DraftLength();

    // How many tokens of a draft are worth a try: at most kMost, and at most `most`, which it has.
    // matched: as look_up_draft() says.
    std::size_t choose(std::size_t matched, std::size_t most);
    // The same of guesses, where the text has a draft that choose() gave `of_text` tokens of.
    // 0: the text's draft is better, or neither pays, or no token went alone yet.
    std::size_t choose_guesses(std::size_t most, std::size_t matched, std::size_t of_text);
    // A pass of a token and n <= kMost drafts took so long, without making them.
    void passed(std::size_t n, double ms);
    // Making n guesses took so long.
    void guessed(std::size_t n, double ms);
    // The first n_right of n drafts were what came.
    void judged(std::size_t matched, std::size_t n, std::size_t n_right);
    void judged_guesses(std::size_t n, std::size_t n_right);

private:
    // Drafts with matches of one length have one.
    struct Chance {
        double right = 0;          // of a draft whose forerunners were
        std::size_t left_out = 0;  // times since one was tried
    };
    double cost(std::size_t n) const;
    // Tokens for the time.
    double speed(std::size_t matched, std::size_t n) const;
    double speed_of_guesses(std::size_t n) const;

    std::array<double, kMost + 1> ms_{};  // of passes with n drafts; 0: none was seen
    std::array<std::size_t, kMost + 1> seen_{};
    std::array<Chance, TextDraft::kLongest + 1> chances_{};
    std::array<double, kMost> right_guess_{};  // the first, the second where the first was, ...
    double guess_ms_ = 0;                      // of one; 0: none was made
    std::size_t guesses_seen_ = 0;
    std::size_t guesses_left_out_ = 0;  // times since some were tried
    std::size_t guess_wait_;            // times to leave out before one is tried
    std::size_t guesses_as_many_ = 0;   // times since one more was tried
    bool tries_text_ = false;           // the latest choose() did, though it does not pay
};

}  // namespace hearth
