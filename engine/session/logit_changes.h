// Changes logits before a token is drawn: logit bias and the penalties for repetition.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <hearth/engine.h>

#include "session/dry_penalty.h"

namespace hearth {

// The tokens that sampling options name, as ids.
struct SamplerWords {
    struct Bias {
        std::int32_t token;
        float bias;  // -infinity: banned
    };
    std::vector<Bias> biases{};
    std::vector<bool> breaks{};  // see DryPenalty
};

// Changes a logit in this order:
// - bias: adds it, or bans the token.
// - repetition penalty (Keskar et al. 2019, CTRL), once for a token of the window: divides positive
//   logits and multiplies negative ones.
// - frequency and presence penalty (OpenAI's API reference): subtracts count * frequency + presence
//   for a token that stands `count` times in the window.
// - DRY, see DryPenalty.
// The window is the last repeat_last_n tokens of prompt and answer. DRY has its own.
class LogitChanges {
public:
    // Preconditions: the tokens of `words` are below n_vocab, or negative.
    LogitChanges(const SamplingOptions& options, int n_vocab, SamplerWords words);

    // False: no logit ever changes.
    bool on() const { return counts_window_ || dry_.on() || has_bias_; }
    // No change raises a logit or makes it no number, but for bans.
    bool lower_only() const { return lower_only_; }
    bool bans() const { return bans_; }

    // Takes note of the text so far. Ids at or above n_vocab are passed over.
    void look_at(std::span<const std::int32_t> recent);
    // The tokens whose logits change at present, in no order, each once.
    std::span<const std::int32_t> tokens() const { return touched_; }
    // The changed logit of a token, below n_vocab. NaN: banned, or it was no number.
    float changed(std::int32_t token, float logit) const;

private:
    struct Change {
        float bias = 0;
        std::uint32_t count = 0;
        std::size_t repetition = 0;  // DRY's length; 0: none
    };
    Change& touch(std::int32_t token);

    float repeat_penalty_;
    float presence_penalty_;
    float frequency_penalty_;
    int last_n_;
    bool counts_window_;
    bool has_bias_ = false;
    bool lower_only_ = true;
    bool bans_ = false;
    DryPenalty dry_;
    std::vector<SamplerWords::Bias> biases_;
    std::vector<std::uint32_t> slots_;  // by token: its change's index plus 1; 0: none
    std::vector<std::int32_t> touched_;
    std::vector<Change> changes_;  // of touched_
};

}  // namespace hearth
