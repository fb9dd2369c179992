// The texts of a vocabulary as a tree of bytes, for trying all of them at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace hearth {

// Immutable once made. Nodes stand in the order in which a walk meets them: a node, then all below
// it.
class TokenTrie {
public:
    // Tokens that show text: special tokens, those that end a turn and empty ones are left out.
    // spelled: special tokens that are taken in all the same, as they are spelled.
    explicit TokenTrie(const Tokenizer& tokenizer, std::span<const TokenId> spelled = {});

    std::size_t size() const { return bytes_.size(); }
    std::uint8_t byte(std::size_t node) const { return bytes_[node]; }
    // Bytes from the root on, at least 1.
    std::size_t depth(std::size_t node) const { return depths_[node]; }
    // The next node that is not below this one.
    std::size_t behind(std::size_t node) const { return behind_[node]; }
    // The tokens whose text ends here.
    std::span<const TokenId> tokens(std::size_t node) const {
        return std::span(tokens_).subspan(first_token_[node],
                                          first_token_[node + 1] - first_token_[node]);
    }
    std::size_t max_depth() const { return max_depth_; }

    int n_vocab() const { return n_vocab_; }
    std::span<const TokenId> ends_of_turn() const { return ends_; }

private:
    std::vector<std::uint8_t> bytes_;
    std::vector<std::uint16_t> depths_;
    std::vector<std::uint32_t> behind_;
    std::vector<std::uint32_t> first_token_;
    std::vector<TokenId> tokens_;
    std::vector<TokenId> ends_;
    std::size_t max_depth_ = 0;
    int n_vocab_ = 0;
};

}  // namespace hearth
