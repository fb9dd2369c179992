// The flat shape of a simple Jinja template, so that two spellings of one template compare equal.
// Not an interpreter: it names what a template consists of and gives up on anything it does not
// know.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hearth {

struct OutlinePart {
    enum class Kind {
        Text,       // printed as it is: text between tags and string literals, joined
        Value,      // a printed variable: "message.role"
        Statement,  // what stands in {% %}, its words separated by one space, strings in quotes
    };
    Kind kind = Kind::Text;
    std::string text;
    bool operator==(const OutlinePart&) const = default;
};

// Spelling that does not matter: whitespace inside tags, kinds of quotes, a['b'] for a.b, comments,
// literals joined by +, text in or outside {{ }}. Whitespace around tags is handled as the
// templates' own library sets it: trim_blocks and lstrip_blocks on, one newline at the end dropped.
// Empty: a filter, a call, an operator other than + in {{ }}, a syntax error.
std::optional<std::vector<OutlinePart>> template_outline(std::string_view jinja);

}  // namespace hearth
