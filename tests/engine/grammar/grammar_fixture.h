// Texts against grammars.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/text/vocab_fixture.h"
#include "grammar/automaton.h"
#include "grammar/gbnf.h"
#include "grammar/matcher.h"
#include "grammar/text_place.h"
#include "text/utf8.h"

namespace hearth::test {

enum class Verdict { Whole, Begun, No };  // the text is one of the grammar; it begins one; neither

inline Verdict verdict(const Automaton& automaton, std::string_view text) {
    Matcher matcher(automaton);
    Matcher::State state = matcher.start();
    for (const char byte : text) {
        state = matcher.step(state, static_cast<std::uint8_t>(byte));
    }
    return state == Matcher::kDead  ? Verdict::No
           : matcher.may_end(state) ? Verdict::Whole
                                    : Verdict::Begun;
}

// The plainest matcher: tries everything, character by character. Gives all places where a text of
// `id` that begins at text[at] may end.
inline std::set<std::size_t> ends_by_trying(const Grammar& grammar, ExpressionId id,
                                            std::string_view text, std::size_t at) {
    const Expression& one = grammar[id];
    switch (one.kind) {
        case Expression::Kind::Text:
            return text.substr(at).starts_with(one.text)
                       ? std::set<std::size_t>{at + one.text.size()}
                       : std::set<std::size_t>{};
        case Expression::Kind::Chars: {
            if (at == text.size()) {
                return {};
            }
            const Utf8Step step = utf8_step(text, at);
            return step.kind == Utf8Step::Kind::Valid &&
                           contains(one.chars, decoded(text.substr(at, step.bytes)))
                       ? std::set<std::size_t>{at + step.bytes}
                       : std::set<std::size_t>{};
        }
        case Expression::Kind::Sequence: {
            std::set<std::size_t> ends{at};
            for (const ExpressionId part : one.parts) {
                std::set<std::size_t> next;
                for (const std::size_t from : ends) {
                    next.merge(ends_by_trying(grammar, part, text, from));
                }
                ends = std::move(next);
            }
            return ends;
        }
        case Expression::Kind::Choice: {
            std::set<std::size_t> ends;
            for (const ExpressionId part : one.parts) {
                ends.merge(ends_by_trying(grammar, part, text, at));
            }
            return ends;
        }
        case Expression::Kind::Repeat: {
            std::set<std::size_t> all;
            std::set<std::size_t> ends{at};
            if (one.least == 0) {
                all = ends;
            }
            // More rounds than characters and mandatory copies reach nothing new.
            const int rounds = one.most >= 0 ? one.most : one.least + static_cast<int>(text.size());
            for (int i = 1; i <= rounds && !ends.empty(); ++i) {
                std::set<std::size_t> next;
                for (const std::size_t from : ends) {
                    next.merge(ends_by_trying(grammar, one.parts[0], text, from));
                }
                ends = std::move(next);
                if (i >= one.least) {
                    all.insert(ends.begin(), ends.end());
                }
            }
            return all;
        }
        case Expression::Kind::Rule:
            return ends_by_trying(grammar, grammar.rules()[static_cast<std::size_t>(one.rule)].body,
                                  text, at);
    }
    return {};
}

inline bool matches_by_trying(const Grammar& grammar, std::string_view text) {
    return ends_by_trying(grammar, grammar.rules()[static_cast<std::size_t>(grammar.root)].body,
                          text, 0)
        .contains(text.size());
}

// A vocabulary of all bytes, these texts, an <end> that ends a turn and a <tool> that is special.
struct TextVocab {
    explicit TextVocab(const std::vector<std::string>& texts) {
        VocabFixture vocab;
        vocab.model = "gpt2";
        end = vocab.add("<|im_end|>", 3);
        special = vocab.add("<tool>", 3);
        first_byte = static_cast<TokenId>(vocab.tokens.size());
        for (int byte = 0; byte < 256; ++byte) {
            vocab.add(spelled(std::string(1, static_cast<char>(byte))));
        }
        for (const std::string& text : texts) {
            vocab.add(spelled(text));
        }
        vocab.set("eos_token_id", id_value(static_cast<std::uint64_t>(end)));
        auto made = Tokenizer::create(vocab.metadata());
        if (made) {
            tokenizer = std::move(*made);
        }
    }
    std::string piece(TokenId token) const {
        std::string text;
        tokenizer->append_piece(token, false, text);
        return text;
    }
    std::unique_ptr<Tokenizer> tokenizer;
    TokenId end = -1;
    TokenId special = -1;
    TokenId first_byte = -1;
};

}  // namespace hearth::test
