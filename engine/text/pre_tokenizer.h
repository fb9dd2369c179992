// Cuts text into the words that byte-level BPE never merges across.
#pragma once

#include <cstddef>
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

// One value of tokenizer.ggml.pre.
struct PreTokenizerRow {
    std::string_view name;
    // Applied one after the other, each to the pieces the ones before left: what matches becomes a
    // piece, and so does what lies between matches. As the models' tokenizer.json has them.
    std::span<const std::string_view> patterns;
    bool ignore_merges = false;  // a word that is a token is taken whole, whatever the merges say
    bool add_bos = false;        // unless the file says otherwise
};
// Null: not known.
const PreTokenizerRow* find_pre_tokenizer(std::string_view name);
// For tests: all of them.
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
