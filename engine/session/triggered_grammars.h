// Parts of an answer that follow grammars of their own, as generation options name them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hearth/engine.h>

#include "grammar/gbnf.h"
#include "grammar/grammar_constraint.h"
#include "grammar/token_trie.h"
#include "text/tokenizer.h"

namespace hearth {

// Follows one answer at a time. Keeps the grammars of the latest one and their masks: answers of
// one conversation mostly share them. A grammar is made when its opening comes for the first time.
class TriggeredGrammars {
public:
    // tokenizer must outlive it.
    explicit TriggeredGrammars(const Tokenizer& tokenizer) : tokenizer_(&tokenizer) {}

    // An answer begins behind the prompt. Copies what it needs of options.
    void begin(const GenerationOptions& options, std::span<const TokenId> prompt);
    // The answer's next token, and the text that it shows.
    void push(TokenId token, std::string_view shown);
    // The tokens that may come next; empty: any. Valid until the next call. A grammar whose text is
    // whole, or that cannot be followed any more, holds no longer.
    std::span<const std::uint64_t> mask();
    // True while a grammar holds.
    bool holds() const { return held_ != nullptr; }

private:
    struct Made {
        std::unique_ptr<GrammarConstraint> constraint;  // null: it cannot be made
    };
    enum class Part { Beginning, Thought, Answer };

    bool follow_reasoning(std::string_view shown);
    bool may_open(const TriggeredGrammar& one, std::size_t at) const;
    void look_for_openings(std::size_t n_new);
    GrammarConstraint* made(std::size_t index);
    const std::vector<NamedGrammar>& schemas();

    const Tokenizer* tokenizer_;
    std::unique_ptr<TokenTrie> trie_;
    std::vector<TriggeredGrammar> known_;  // that made_ belongs to
    std::vector<std::string> known_schemas_;
    std::vector<std::optional<Made>> made_;
    std::optional<std::vector<NamedGrammar>> schemas_;

    std::size_t longest_ = 0;  // opening
    Part part_ = Part::Beginning;
    std::string shown_;         // as far as it says where reasoning begins and ends
    std::string spelled_;       // the answer's latest bytes, special tokens spelled out
    bool is_beginning_ = true;  // spelled_ has all of the answer
    GrammarConstraint* held_ = nullptr;
    bool ends_answer_ = false;
};

}  // namespace hearth
