#include "session/answer_grammar.h"

#include <utility>

#include "grammar/automaton.h"
#include "grammar/gbnf.h"
#include "grammar/json_schema.h"

namespace hearth {

Result<GrammarConstraint*> AnswerGrammar::for_answer(const GenerationOptions& options) {
    if (options.grammar.empty() && options.json_schema.empty()) {
        return nullptr;
    }
    if (!options.grammar.empty() && !options.json_schema.empty()) {
        return Error{ErrorCode::InvalidArgument,
                     "an answer has a grammar or a JSON schema, not both",
                     {},
                     "json_schema"};
    }
    if (constraint_ != nullptr && grammar_ == options.grammar &&
        json_schema_ == options.json_schema) {
        constraint_->restart();
        return constraint_.get();
    }
    const bool is_schema = options.grammar.empty();
    auto grammar = is_schema ? parse_json_schema(options.json_schema) : parse_gbnf(options.grammar);
    if (!grammar) {
        return std::move(grammar).error();
    }
    auto automaton = Automaton::compile(*grammar, is_schema ? "json_schema" : "grammar");
    if (!automaton) {
        return std::move(automaton).error();
    }
    if (trie_ == nullptr) {
        trie_ = std::make_unique<TokenTrie>(*tokenizer_);
    }
    constraint_ = std::make_unique<GrammarConstraint>(std::move(*automaton), *trie_);
    grammar_ = options.grammar;
    json_schema_ = options.json_schema;
    return constraint_.get();
}

}  // namespace hearth
