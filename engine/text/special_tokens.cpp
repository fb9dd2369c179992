#include "text/special_tokens.h"

#include <algorithm>

namespace hearth {

Result<SpecialTokens> SpecialTokens::build(const Vocab& vocab) {
    SpecialTokens specials;
    for (TokenId id = 0; id < vocab.size(); ++id) {
        const TokenType type = vocab.type(id);
        if (type != TokenType::Control && type != TokenType::UserDefined) {
            continue;
        }
        const std::string_view text = vocab.texts[id];
        if (text.empty()) {
            continue;
        }
        if (text.size() > kMaxBytes) {
            return Error{.code = ErrorCode::BadFile,
                         .message = "tokenizer.ggml.tokens: token[" + std::to_string(id) +
                                    "], a special token, has " + std::to_string(text.size()) +
                                    " bytes, at most " + std::to_string(kMaxBytes) + " are allowed",
                         .path = {},
                         .field = "tokenizer.ggml.tokens"};
        }
        specials.entries_.push_back({text, id, type == TokenType::Control});
    }
    // Stable, so that of two tokens of one spelling the lower id is found first.
    std::stable_sort(specials.entries_.begin(), specials.entries_.end(),
                     [](const Entry& a, const Entry& b) { return a.text < b.text; });
    for (const Entry& entry : specials.entries_) {
        ++specials.first_[std::size_t{static_cast<std::uint8_t>(entry.text.front())} + 1];
    }
    for (std::size_t i = 1; i < specials.first_.size(); ++i) {
        specials.first_[i] += specials.first_[i - 1];
    }
    return specials;
}

SpecialTokens::Match SpecialTokens::match(std::string_view text, std::size_t at,
                                          std::size_t control_end) const {
    Match best;
    const auto first = static_cast<std::uint8_t>(text[at]);
    auto low = entries_.begin() + first_[first];
    auto high = entries_.begin() + first_[std::size_t{first} + 1];
    // [low, high): the tokens that agree with the text in their first `length` bytes. Those that
    // end there stand in front.
    for (std::size_t length = 1; low != high; ++length) {
        for (; low != high && low->text.size() == length; ++low) {
            if (best.bytes < length && (!low->is_control || at + length <= control_end)) {
                best = {low->id, length};
            }
        }
        if (low == high || at + length == text.size()) {
            break;
        }
        const auto next = static_cast<std::uint8_t>(text[at + length]);
        const auto byte_of = [length](const Entry& entry) {
            return static_cast<std::uint8_t>(entry.text[length]);
        };
        low = std::lower_bound(low, high, next,
                               [&](const Entry& e, std::uint8_t b) { return byte_of(e) < b; });
        high = std::upper_bound(low, high, next,
                                [&](std::uint8_t b, const Entry& e) { return b < byte_of(e); });
    }
    return best;
}

}  // namespace hearth
