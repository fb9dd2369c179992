// The parts of JSON text as grammar: strings, numbers, whitespace, and usual formats of strings.
#pragma once

#include <optional>
#include <string_view>

#include "grammar/grammar.h"

namespace hearth {

// Makes each rule when it is first asked for. The grammar must outlive it.
//
// The text is a part of JSON that every parser takes: numbers have at most 16 digits before and
// after the point and exponents of two digits, \u escapes are no lone surrogates, and whitespace is
// nothing, a space, or a line end with up to 20 spaces or tabs.
class JsonForms {
public:
    explicit JsonForms(Grammar& grammar) : grammar_(grammar) {}

    ExpressionId space();
    ExpressionId any_value();   // nested as the matcher allows
    ExpressionId any_object();  // with any members
    ExpressionId any_array();
    ExpressionId any_string();
    ExpressionId any_number();
    ExpressionId any_integer();
    ExpressionId boolean();
    ExpressionId null() { return grammar_.text("null"); }

    // A string of so many characters; most: -1 for no end.
    ExpressionId string(int least, int most);
    // One character inside a string, escaped or not.
    ExpressionId character();
    // A character of the set, each in the one spelling that json_string() has for it.
    ExpressionId character_of(const CodePoints& set);
    // The characters that need no escape.
    static CodePoints plain_characters();
    // An integer within bounds; empty: as any_integer() on that side. Preconditions: least <= most,
    // at most 15 digits.
    ExpressionId integer(std::optional<long long> least, std::optional<long long> most);
    // "date", "time", "date-time" (RFC 3339, without leap seconds), "uuid", "ipv4": a string with
    // its quotes. Empty: an unknown format.
    std::optional<ExpressionId> format(std::string_view name);
    ExpressionId quoted(ExpressionId content);

private:
    template <class Make>
    ExpressionId once(RuleId& rule, const char* name, Make&& make);
    ExpressionId digits(std::string_view set);  // one of a set such as "0-9a-f"
    ExpressionId digits(std::string_view set, int count) {
        return grammar_.repeat(digits(set), count, count);
    }
    ExpressionId same_length(std::string_view low, std::string_view high);
    ExpressionId positive(long long least, std::optional<long long> most);
    ExpressionId date();
    ExpressionId time();

    Grammar& grammar_;
    RuleId space_ = -1, value_ = -1, object_ = -1, array_ = -1, string_ = -1, number_ = -1;
    RuleId integer_ = -1, boolean_ = -1, character_ = -1;
};

}  // namespace hearth
