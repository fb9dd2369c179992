// Tokens that were passed before they were drawn: drafts, and the logits behind each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "compute/candidate.h"
#include "session/draft_length.h"
#include "session/prompt_lookup.h"

namespace hearth {

// A drafted token whose logits are there need not be passed when it is drawn. The first one that is
// not drawn voids the rest. One session's, whose passes it learns from; one thread.
class Speculation {
public:
    // An answer begins.
    void begin();
    // The model's own layer foretells: at most n tokens, and how long that took.
    struct Guesses {
        std::span<const std::int32_t> tokens{};
        double ms = 0;
    };
    using Guess = std::function<Guesses(std::size_t n)>;  // empty: there is no such layer
    // Returns the tokens to pass behind the one that was just drawn, text.back(): at most `most`.
    // guess is called where that promises more than the text's own draft.
    std::span<const std::int32_t> draft(std::span<const std::int32_t> text, std::size_t most,
                                        const Guess& guess = {});
    // That token and its drafts were passed. rows: the logits [n_vocab] behind each, (1 + drafts)
    // of them, or none if there was no draft. Logits that stayed with a GPU are empty; best then
    // has the candidates that it picked of each.
    void passed(std::vector<std::vector<float>>&& rows,
                std::vector<std::vector<Candidate>>&& best = {});
    // The latest pass of this answer, and all that was drawn from it, took so long. Nothing if
    // there was none.
    void spent(double ms);
    // True if the latest token was passed with drafts: it is token row() of the pass.
    bool has_row() const { return !rows_.empty(); }
    std::size_t row() const { return accepted_; }
    // The logits behind the latest token, where a pass has left them here; else empty.
    std::span<float> logits();
    // The candidates of these; empty where logits() is not, too.
    std::span<const Candidate> candidates() const;
    // The token was drawn from logits(). True: it was passed already, and logits() are those behind
    // it. Else all drafts are void.
    bool accept(std::int32_t token);
    // Forgets drafts, as if they had never been: the answer ends, or was broken off.
    void drop();

    // Counted since begin().
    int n_drafted() const { return n_drafted_; }
    int n_right() const { return n_right_; }
    // The guesses of the model's own layer among them.
    int n_guessed() const { return n_guessed_; }
    int n_right_guesses() const { return n_right_guesses_; }

private:
    DraftLength length_;
    std::vector<std::int32_t> drafts_;
    std::size_t matched_ = 0;
    bool are_guesses_ = false;           // the drafts
    std::size_t accepted_ = 0;           // of drafts_
    std::optional<std::size_t> latest_;  // the drafts of the latest pass, whose time is not known
    std::vector<std::vector<float>> rows_;
    std::vector<std::vector<Candidate>> best_;
    double guess_ms_ = 0;  // of the latest pass's guesses
    int n_drafted_ = 0, n_right_ = 0;
    int n_guessed_ = 0, n_right_guesses_ = 0;
};

}  // namespace hearth
