#include <charconv>

#include "text/jinja/lexer.h"
#include "text/utf8.h"

namespace hearth::jinja {
namespace {

// The hexadecimal or octal number in `digits`; empty if that is none.
std::optional<std::uint32_t> number(std::string_view digits, std::size_t count, int base) {
    std::uint32_t value = 0;
    if (digits.size() < count) {
        return std::nullopt;
    }
    const auto parsed = std::from_chars(digits.data(), digits.data() + count, value, base);
    if (parsed.ec != std::errc{} || parsed.ptr != digits.data() + count) {
        return std::nullopt;
    }
    return value;
}

}  // namespace

std::optional<std::string> unescape(std::string_view quoted) {
    std::string out;
    out.reserve(quoted.size());
    for (std::size_t i = 0; i < quoted.size(); ++i) {
        if (quoted[i] != '\\' || i + 1 == quoted.size()) {
            out += quoted[i];
            continue;
        }
        const char c = quoted[++i];
        constexpr std::string_view kLetters = "abfnrtv\\'\"";
        constexpr std::string_view kMeant = "\a\b\f\n\r\t\v\\'\"";
        if (const std::size_t simple = kLetters.find(c); simple != std::string_view::npos) {
            out += kMeant[simple];
        } else if (c == '\n') {
            continue;
        } else if (c >= '0' && c <= '7') {
            std::size_t count = 1;
            while (count < 3 && i + count < quoted.size() && quoted[i + count] >= '0' &&
                   quoted[i + count] <= '7') {
                ++count;
            }
            append_utf8(out, *number(quoted.substr(i), count, 8));
            i += count - 1;
        } else if (c == 'x' || c == 'u' || c == 'U') {
            const std::size_t count = c == 'x' ? 2 : c == 'u' ? 4 : 8;
            const auto code = number(quoted.substr(i + 1), count, 16);
            // A half of a pair cannot be printed.
            if (!code || *code > 0x10FFFF || (*code >= 0xD800 && *code <= 0xDFFF)) {
                return std::nullopt;
            }
            append_utf8(out, *code);
            i += count;
        } else if (c == 'N') {
            return std::nullopt;  // names of characters
        } else {
            out += '\\';
            out += c;
        }
    }
    return out;
}

}  // namespace hearth::jinja
