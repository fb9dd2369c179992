// Cuts text into the words that byte-level BPE never merges across.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hearth/result.h>

namespace hearth {

// Values of tokenizer.ggml.model. They are called after the models that had them first.
extern const std::string_view kByteLevelBpeName;
extern const std::string_view kSentencePieceName;
extern const std::string_view kMergedPiecesName;
// The value of tokenizer.ggml.pre that a file from before that key stands for.
extern const std::string_view kFirstPreTokenizer;

struct PreTokenizerStep {
    enum class Cut : std::uint8_t {
        Apart,         // what matches becomes a piece, and so does what lies between matches
        InThrees,      // a match becomes pieces of three characters, counted from its end
        BeforeThrees,  // a piece ends in front of each such three, none behind the match
    };
    std::string_view pattern;
    Cut cut = Cut::Apart;
};

// One value of tokenizer.ggml.pre.
struct PreTokenizerRow {
    enum Flag : unsigned {
        kIgnoreMerges = 1,  // a word that is a token is taken whole, whatever the merges say
        kAddBos = 2,        // unless the file says otherwise
        kNfc = 4,           // text is composed (Unicode's form C) before it is cut
        kGuess = 8,         // the name says nothing of how text is to be cut
    };
    std::string_view name;
    // Applied one after the other, each to the pieces the ones before left. As the models'
    // tokenizer.json has them.
    std::span<const PreTokenizerStep> steps;
    unsigned flags = 0;

    bool has(Flag flag) const { return (flags & flag) != 0; }
};
// Null: not known.
const PreTokenizerRow* find_pre_tokenizer(std::string_view name);
// The row of the name, or the one that unknown names are taken for.
const PreTokenizerRow& pre_tokenizer_of(std::string_view name);
// The name it is taken for because it does not tell how text is cut; empty: it tells.
std::string_view pre_tokenizer_fallback(std::string_view name);
// For tests: all that are known.
std::span<const PreTokenizerRow> pre_tokenizers();

// Immutable once made; any thread.
class PreTokenizer {
public:
    // Internal if a pattern does not compile.
    static Result<PreTokenizer> create(const PreTokenizerRow& row);
    ~PreTokenizer();
    PreTokenizer(PreTokenizer&&) noexcept;
    PreTokenizer& operator=(PreTokenizer&&) noexcept;

    // Appends the pieces of `text`, in order; joined they are `text`. Linear time: a pattern that
    // runs into its limits leaves the rest in one piece.
    // Precondition: text is valid UTF-8.
    void split(std::string_view text, std::vector<std::string_view>& out) const;

private:
    struct Impl;
    explicit PreTokenizer(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace hearth
