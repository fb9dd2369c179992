// Drafts of what comes next, from the conversation's own text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace hearth {

struct TextDraft {
    static constexpr std::size_t kShortest = 2, kLongest = 8;

    std::span<const std::int32_t> tokens{};  // into the text; empty: there is no draft
    std::size_t matched = 0;  // so many tokens before them are the text's latest, at most kLongest
};

// The tokens that followed where the text's latest tokens stood before, at most `most`. The place
// with the longest match counts, of equal ones the latest. Any thread. (Prompt lookup decoding,
// A. Saxena 2023: where a model copies, its draft costs no second model.)
TextDraft look_up_draft(std::span<const std::int32_t> text, std::size_t most);

}  // namespace hearth
