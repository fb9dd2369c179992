// DRY ("don't repeat yourself"): lowers tokens that would continue a repetition of earlier text.
// Source: p-e-w, text-generation-webui pull request 5677.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <hearth/engine.h>

namespace hearth {

// A token t continues a repetition of length L if the latest L tokens also stand earlier in the
// text, followed by t. The longest L counts. Breaking tokens are part of no repetition.
class DryPenalty {
public:
    // Penalties stop growing here. A logit minus this one is a number and never drawn.
    static constexpr double kMostPenalty = 1e6;

    DryPenalty() = default;  // off
    // breaks [n_vocab]: tokens that end a repetition; empty: none does.
    DryPenalty(const SamplingOptions& options, std::vector<bool> breaks);

    bool on() const { return multiplier_ > 0; }

    struct Hit {
        std::int32_t token;
        std::size_t length;  // at least the allowed length; the same token may come again
    };
    // The tokens that continue a repetition within the last tokens of the text, as many as
    // dry_last_n says. The result stays valid until the next call. Time: linear in the window.
    std::span<const Hit> hits(std::span<const std::int32_t> text);
    // multiplier * base^(length - allowed length), at most kMostPenalty.
    float penalty(std::size_t length) const;

private:
    bool breaks(std::int32_t token) const;

    double multiplier_ = 0;
    double base_ = 1;
    std::size_t allowed_length_ = 1;
    int last_n_ = 0;
    std::vector<bool> breaks_;
    std::vector<std::uint32_t> repeats_;  // grows with the text
    std::vector<Hit> hits_;
};

}  // namespace hearth
