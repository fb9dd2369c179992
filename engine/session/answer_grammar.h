// The grammar of an answer, as generation options name it.
#pragma once

#include <memory>
#include <string>

#include <hearth/engine.h>
#include <hearth/result.h>

#include "grammar/grammar_constraint.h"
#include "grammar/token_trie.h"
#include "text/tokenizer.h"

namespace hearth {

// Keeps the latest grammar and its masks: answers of one conversation mostly share it.
class AnswerGrammar {
public:
    // tokenizer must outlive it.
    explicit AnswerGrammar(const Tokenizer& tokenizer) : tokenizer_(&tokenizer) {}

    // A constraint that begins with the empty text; null: the options name none. Valid until the
    // next call. InvalidArgument: both a grammar and a schema, or one that cannot be read (with
    // line and column), or that is too large.
    Result<GrammarConstraint*> for_answer(const GenerationOptions& options);

private:
    const Tokenizer* tokenizer_;
    std::unique_ptr<TokenTrie> trie_;
    std::string grammar_;  // of constraint_
    std::string json_schema_;
    std::unique_ptr<GrammarConstraint> constraint_;
};

}  // namespace hearth
