#include "printable.h"

#include <cstdio>

namespace hearth::cli {
namespace {

struct Character {
    char32_t code = 0;
    std::size_t bytes = 0;  // 0: not UTF-8
};

// The first character of a text that is not empty. Overlong forms, surrogates and codes beyond
// Unicode are not UTF-8.
Character first_character(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text[0]);
    if (lead < 0x80) {
        return {lead, 1};
    }
    const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) {
        return {};
    }
    char32_t code = lead & (0x7FU >> bytes);
    for (std::size_t i = 1; i < bytes; ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if ((byte & 0xC0U) != 0x80) {
            return {};
        }
        code = (code << 6) | (byte & 0x3FU);
    }
    constexpr char32_t kSmallest[] = {0x80, 0x800, 0x10000};
    if (code < kSmallest[bytes - 2] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
        return {};
    }
    return {code, bytes};
}

// True for characters that move the cursor, break the line or reverse the text.
bool acts(char32_t code) {
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x61C ||
           (code >= 0x200E && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069);
}

std::string escaped(const char* pattern, unsigned value) {
    char text[16];
    std::snprintf(text, sizeof text, pattern, value);
    return text;
}

}  // namespace

std::string printable(std::string_view text, std::size_t most) {
    std::string out;
    std::size_t done = 0;
    while (done < text.size()) {
        const Character c = first_character(text.substr(done));
        const std::size_t bytes = c.bytes == 0 ? 1 : c.bytes;
        if (bytes > most - done) {
            return out + "...";
        }
        if (c.bytes == 0) {
            out += escaped("\\x%02X", static_cast<unsigned char>(text[done]));
        } else if (c.code == '\n') {
            out += "\\n";
        } else if (!acts(c.code)) {
            out += text.substr(done, bytes);
        } else {
            out += escaped(c.code < 0x80 ? "\\x%02X" : "\\u{%X}", static_cast<unsigned>(c.code));
        }
        done += bytes;
    }
    return out;
}

}  // namespace hearth::cli
