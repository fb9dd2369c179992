// Text to token ids and back, from the vocabulary in a GGUF file.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hearth/result.h>

#include "gguf/metadata.h"
#include "text/text_segment.h"

namespace hearth {

using TokenId = std::int32_t;

// Const and immutable once made; any thread may use it.
//
// What a file may say and what it means here (tokenizer.ggml.*):
// - token_type: 1 normal, 2 unknown, 3 control, 4 user defined, 5 unused, 6 byte. Missing: all
//   normal but bos, eos, eot and eom. A user-defined token that the file names as bos, eos, eot or
//   eom, or that is spelled like one of the usual end-of-turn tokens or <|im_start|>, counts as
//   control.
// - Tokens that stand twice: the lower id is used, both are decoded. Empty tokens are never made.
// - Merges that name or make a token the file does not have never apply (pruned vocabularies).
// - Models whose own tokenizer composes characters first (NFC) get composed text: their tokens
// spell
//   that, not what was typed. Special tokens are looked for in what was typed.
class Tokenizer {
public:
    // Reads tokenizer.ggml.*. tokenizer.ggml.model "gpt2" (byte-level BPE), "llama" (SentencePiece
    // BPE with byte fallback) and "gemma4" (the same with a list of merges instead of scores; also
    // "gpt2" with a tokenizer.ggml.pre that says so). BadFile; Unsupported for other models (the
    // message names them). "gpt2" without tokenizer.ggml.pre is split as GPT-2 itself splits: the
    // files from before that key. A tokenizer.ggml.pre that is not known is guessed: fallback().
    static Result<std::unique_ptr<Tokenizer>> create(const Metadata& metadata);
    virtual ~Tokenizer() = default;
    // fallback() of the tokenizer of such a file, without making it.
    static std::string fallback_of(const Metadata& metadata);

    // text: any bytes; bytes that are not UTF-8 are taken one by one and come back unchanged (a
    // byte that the vocabulary has no token for becomes the unknown token, or nothing if there is
    // none: published byte-level vocabularies lack some that UTF-8 never has).
    // add_special: the begin/end tokens the file asks for. parse_special: control tokens written
    // out in `text` become their ids; otherwise they are ordinary text. User-defined tokens always
    // become their ids. Where several could start, the longest wins.
    // Time: O(n log n) in the length of text.
    virtual std::vector<TokenId> tokenize(std::string_view text, bool add_special,
                                          bool parse_special) const = 0;

    // The same of the segments' joined text, but control tokens are recognised only where they
    // lie wholly inside one markup segment. Not the same as tokenizing each segment: words reach
    // across borders.
    virtual std::vector<TokenId> tokenize(std::span<const TextSegment> segments,
                                          bool add_special) const = 0;

    // Appends the token's bytes. special: whether special tokens are written out or left out.
    // Precondition: 0 <= token < n_vocab().
    virtual void append_piece(TokenId token, bool special, std::string& out) const = 0;

    // The inverse of tokenize() without add_special: special tokens written out, the space
    // SentencePiece puts in front taken away again. (SentencePiece itself cannot tell U+2581 from
    // a space.)
    virtual std::string detokenize(std::span<const TokenId> tokens) const = 0;

    // The name that the file's tokenizer.ggml.pre is taken for, if that does not tell how text is
    // cut into words: a reason to warn. Else empty.
    virtual const std::string& fallback() const = 0;
    virtual int n_vocab() const = 0;
    virtual bool is_special(TokenId token) const = 0;  // control or unknown
    // eos, eot and eom of the file, and control tokens spelled like the usual ones: <|im_end|>,
    // <|eot_id|>, <end_of_turn>, <|endoftext|>, <|end|>, </s>, ...
    virtual bool is_end_of_turn(TokenId token) const = 0;
    virtual TokenId bos() const = 0;  // -1: none
    virtual TokenId eos() const = 0;  // -1: none
};

}  // namespace hearth
