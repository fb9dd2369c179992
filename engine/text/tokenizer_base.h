// What both kinds of tokenizer share: special tokens, begin and end tokens, and the way back.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hearth/result.h>

#include "text/special_tokens.h"
#include "text/tokenizer.h"
#include "text/vocab.h"

namespace hearth {

class TokenizerBase : public Tokenizer {
public:
    TokenizerBase(const TokenizerBase&) = delete;
    TokenizerBase& operator=(const TokenizerBase&) = delete;

    std::vector<TokenId> tokenize(std::string_view text, bool add_special,
                                  bool parse_special) const final;
    std::vector<TokenId> tokenize(std::span<const TextSegment> segments,
                                  bool add_special) const final;
    void append_piece(TokenId token, bool special, std::string& out) const final;
    std::string detokenize(std::span<const TokenId> tokens) const final;

    const std::string& fallback() const final { return vocab_.fallback; }
    int n_vocab() const final { return vocab_.size(); }
    bool is_special(TokenId token) const final { return vocab_.is_special(token); }
    bool is_end_of_turn(TokenId token) const final {
        return vocab_.end_of_turn[static_cast<std::size_t>(token)];
    }
    TokenId bos() const final { return vocab_.bos; }
    TokenId eos() const final { return vocab_.eos; }

protected:
    explicit TokenizerBase(Vocab vocab) : vocab_(std::move(vocab)) {}

    // To be called once by a derived class's create(), when the vocabulary lies where it stays.
    Result<void> prepare();
    // What a token that is not special stands for.
    virtual void decode(TokenId token, std::string& out) const = 0;
    // text: without special tokens, fewer than 2^30 bytes. is_start: the text begins here, or a
    // control token stood before it.
    virtual void encode(std::string_view text, bool is_start, std::vector<TokenId>& out) const = 0;
    // Whether encode() puts a space in front of a start.
    virtual bool adds_space() const = 0;

    Vocab vocab_;

private:
    // Control tokens may lie in [begin, end) of any of these; ascending.
    struct Range {
        std::size_t begin;
        std::size_t end;
    };
    std::vector<TokenId> tokenize(std::string_view text, std::span<const Range> markup,
                                  bool add_special) const;
    void encode_run(std::string_view text, bool is_start, std::vector<TokenId>& out) const;

    SpecialTokens specials_;
    TextPool pieces_;
};

}  // namespace hearth
