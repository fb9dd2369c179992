#include "session/speculation.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"

namespace hearth {

void Speculation::begin() {
    drop();
    latest_.reset();
    n_drafted_ = n_right_ = 0;
    n_guessed_ = n_right_guesses_ = 0;
}

std::span<const std::int32_t> Speculation::draft(std::span<const std::int32_t> text,
                                                 std::size_t most, const Guess& guess) {
    drop();
    guess_ms_ = 0;
    const TextDraft found = look_up_draft(text, std::min(most, DraftLength::kMost));
    const std::size_t n = length_.choose(found.matched, found.tokens.size());
    drafts_.assign(found.tokens.begin(), found.tokens.begin() + static_cast<std::ptrdiff_t>(n));
    matched_ = found.matched;
    are_guesses_ = false;
    const std::size_t n_guesses = guess ? length_.choose_guesses(most, matched_, n) : 0;
    if (n_guesses > 0) {
        const Guesses made = guess(n_guesses);
        if (!made.tokens.empty()) {
            length_.guessed(made.tokens.size(), made.ms);
            guess_ms_ = made.ms;
            are_guesses_ = true;
            drafts_.assign(made.tokens.begin(), made.tokens.end());
        }
    }
    return drafts_;
}

void Speculation::passed(std::vector<std::vector<float>>&& rows,
                         std::vector<std::vector<Candidate>>&& best) {
    HEARTH_ASSERT(rows.size() == (drafts_.empty() ? 0 : drafts_.size() + 1));
    latest_ = drafts_.size();
    n_drafted_ += static_cast<int>(drafts_.size());
    n_guessed_ += are_guesses_ ? static_cast<int>(drafts_.size()) : 0;
    rows_ = std::move(rows);
    best_ = std::move(best);
}

void Speculation::spent(double ms) {
    if (latest_) {
        length_.passed(*std::exchange(latest_, std::nullopt), std::max(0.0, ms - guess_ms_));
    }
}

std::span<float> Speculation::logits() {
    return rows_.empty() ? std::span<float>() : std::span<float>(rows_[accepted_]);
}

std::span<const Candidate> Speculation::candidates() const {
    return accepted_ < best_.size() ? std::span<const Candidate>(best_[accepted_])
                                    : std::span<const Candidate>();
}

bool Speculation::accept(std::int32_t token) {
    if (accepted_ < drafts_.size() && drafts_[accepted_] == token && !rows_.empty()) {
        ++accepted_;
        ++n_right_;
        n_right_guesses_ += are_guesses_ ? 1 : 0;
        return true;
    }
    if (!rows_.empty() && are_guesses_) {
        length_.judged_guesses(drafts_.size(), accepted_);
    } else if (!rows_.empty()) {
        length_.judged(matched_, drafts_.size(), accepted_);
    }
    drop();
    return false;
}

void Speculation::drop() {
    drafts_.clear();
    rows_.clear();
    best_.clear();
    accepted_ = 0;
}

}  // namespace hearth
