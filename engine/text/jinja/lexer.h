// Cuts a template into tokens, as jinja2 does with trim_blocks and lstrip_blocks on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/jinja/failure.h"

namespace hearth::jinja {

enum class TokenKind : std::uint8_t {
    Data,  // text outside tags
    BlockBegin,
    BlockEnd,
    VariableBegin,
    VariableEnd,
    Name,
    String,  // text is what it stands for, escapes resolved
    Integer,
    Float,
    Operator,
    End,
};

struct Token {
    TokenKind kind = TokenKind::End;
    std::string text;
    int line = 1;
    std::int64_t integer = 0;
    double real = 0;

    bool is_operator(std::string_view op) const {
        return kind == TokenKind::Operator && text == op;
    }
    bool is_name(std::string_view name) const { return kind == TokenKind::Name && text == name; }
};

inline constexpr std::size_t kMaxTemplateBytes = 1 << 20;

// Appends tokens, the last one End. Empty if all went well. Time: linear.
std::optional<Failure> lex(std::string_view source, std::vector<Token>& tokens);

// The text of a quoted string without its quotes, escapes resolved as Python does. Empty: an
// escape that is cut short, or stands for no character.
std::optional<std::string> unescape(std::string_view quoted);

}  // namespace hearth::jinja
