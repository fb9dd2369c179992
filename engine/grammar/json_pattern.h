// The "pattern" of a JSON schema: a regular expression (ECMA-262) as grammar.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "grammar/json_forms.h"

namespace hearth {

struct PatternRefused {
    std::string why;
};

// A JSON string, with its quotes, whose characters match. As in JSON schemas the pattern may match
// anywhere unless ^ and $ anchor it. Known: characters, ., sets, \d \w \s \D \W \S \n \r \t \f \v
// \xHH \uHHHH, groups, (?:...), |, * + ? {n} {n,} {n,m} (lazy ones match the same), ^ at the
// beginning and $ at the end of an alternative that is not in a group. Refused by name: what looks
// around or back, \b, \p{...}, flags.
std::variant<ExpressionId, PatternRefused> pattern_string(Grammar& grammar, JsonForms& forms,
                                                          std::string_view pattern);

}  // namespace hearth
