// GBNF, the notation of grammars that people write for language models.
//
//   # numbers, separated by commas
//   root  ::= value ("," " "? value)*
//   value ::= "-"? [0-9]{1,4} | "\u221E"
//
// - A rule: a name of letters, digits, - and _, then ::= and alternatives separated by |. The text
//   begins with `root`.
// - An alternative: literals "..." , sets [a-z\n] and [^...], . for any character, names, groups in
//   parentheses; each may be followed by * + ? {n} {n,} {,m} {n,m}.
// - Escapes in literals and sets: \n \r \t \\ \" \[ \] \- \^ \xHH \uHHHH \UHHHHHHHH.
// - A rule ends with its line, unless a parenthesis is open or the line ends or the next begins
// with |.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <hearth/result.h>

#include "grammar/grammar.h"

namespace hearth {

inline constexpr std::size_t kMaxGrammarBytes = 512 * 1024;
inline constexpr std::size_t kMaxGrammarRules = 8192;
inline constexpr int kMaxGroupDepth = 64;

// A name that the text itself has no rule for stands for this.
struct NamedGrammar {
    std::string name;
    Grammar grammar;
};

// InvalidArgument, field "grammar", with line and column: text that is not GBNF or not UTF-8, a
// rule that is missing, empty or stands twice, a bound above. Tokens of a vocabulary (<...>) are
// not part of this notation here.
Result<Grammar> parse_gbnf(std::string_view text, std::span<const NamedGrammar> named = {});

}  // namespace hearth
