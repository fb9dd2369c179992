#include "grammar/token_trie.h"

#include <algorithm>
#include <string>
#include <utility>

#include "text/vocab.h"

namespace hearth {

TokenTrie::TokenTrie(const Tokenizer& tokenizer, std::span<const TokenId> spelled)
    : n_vocab_(tokenizer.n_vocab()) {
    static_assert(kMaxTokenBytes <= 65535, "depths have 16 bits");
    std::string pool;
    std::vector<std::size_t> starts;
    std::vector<TokenId> ids;
    for (TokenId token = 0; token < n_vocab_; ++token) {
        if (tokenizer.is_end_of_turn(token)) {
            ends_.push_back(token);
            continue;
        }
        const bool is_special = tokenizer.is_special(token);
        if (is_special && std::find(spelled.begin(), spelled.end(), token) == spelled.end()) {
            continue;
        }
        const std::size_t start = pool.size();
        tokenizer.append_piece(token, is_special, pool);
        if (pool.size() > start) {
            starts.push_back(start);
            ids.push_back(token);
        }
    }
    starts.push_back(pool.size());
    std::vector<std::pair<std::string_view, TokenId>> texts;
    texts.reserve(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
        texts.emplace_back(std::string_view(pool).substr(starts[i], starts[i + 1] - starts[i]),
                           ids[i]);
    }
    std::sort(texts.begin(), texts.end());
    std::vector<std::uint32_t> open;  // nodes from the root to the present one
    std::string_view last;
    const auto close = [&](std::size_t depth) {
        for (; open.size() > depth; open.pop_back()) {
            behind_[open.back()] = static_cast<std::uint32_t>(bytes_.size());
        }
    };
    for (const auto& [text, id] : texts) {
        const std::size_t shared = static_cast<std::size_t>(
            std::mismatch(last.begin(), last.end(), text.begin(), text.end()).first - last.begin());
        close(shared);
        for (std::size_t i = shared; i < text.size(); ++i) {
            open.push_back(static_cast<std::uint32_t>(bytes_.size()));
            bytes_.push_back(static_cast<std::uint8_t>(text[i]));
            depths_.push_back(static_cast<std::uint16_t>(i + 1));
            behind_.push_back(0);
            first_token_.push_back(static_cast<std::uint32_t>(tokens_.size()));
        }
        // Sorted: the text ends at the node made last, also where two tokens have the same text.
        tokens_.push_back(id);
        max_depth_ = std::max(max_depth_, text.size());
        last = text;
    }
    close(0);
    first_token_.push_back(static_cast<std::uint32_t>(tokens_.size()));
}

}  // namespace hearth
