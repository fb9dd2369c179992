// Finds the tokens that are taken whole out of a text before anything else looks at it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <hearth/result.h>

#include "text/vocab.h"

namespace hearth {

// Keeps views into the vocabulary's texts: the Vocab must stay where it is.
class SpecialTokens {
public:
    // Longer ones than this are BadFile: it bounds the time per byte of text.
    static constexpr std::size_t kMaxBytes = 256;

    // Control tokens and user-defined tokens of `vocab`.
    static Result<SpecialTokens> build(const Vocab& vocab);

    struct Match {
        TokenId id = -1;
        std::size_t bytes = 0;  // 0: none starts here
    };
    // The longest token that text[at...] starts with. Control tokens only if they end at or before
    // control_end (0: none).
    Match match(std::string_view text, std::size_t at, std::size_t control_end) const;

    // True if any token starts with this byte: a quick no.
    bool starts_with(char first) const {
        const auto i = static_cast<std::uint8_t>(first);
        return first_[i] != first_[std::size_t{i} + 1];
    }

private:
    struct Entry {
        std::string_view text;
        TokenId id = -1;
        bool is_control = false;
    };
    std::vector<Entry> entries_;  // by text
    std::array<std::uint32_t, 257>
        first_{};  // entries that start with byte b: [first_[b], first_[b + 1])
};

}  // namespace hearth
