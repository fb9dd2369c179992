// One step through bytes that may or may not be UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hearth {

struct Utf8Step {
    enum class Kind {
        Valid,   // a whole character of `bytes` bytes
        Broken,  // a maximal subpart of `bytes` bytes (1 to 3) that no byte can complete any more
        Truncated,  // the text ends inside a character; `bytes` bytes of it are there
    };
    Kind kind = Kind::Valid;
    std::size_t bytes = 0;
};

// Looks at text[at] and what follows. Well-formed sequences: Unicode 15, table 3-7; maximal
// subparts: section 3.9. Precondition: at < text.size().
inline Utf8Step utf8_step(std::string_view text, std::size_t at) {
    const auto byte_at = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
    const std::uint8_t first = byte_at(at);
    if (first < 0x80) {
        return {Utf8Step::Kind::Valid, 1};
    }
    std::size_t length = 0;
    std::uint8_t least = 0x80;  // of the second byte: what rules out overlong forms, surrogates
    std::uint8_t most = 0xBF;   // and what lies above U+10FFFF
    if (first >= 0xC2 && first <= 0xDF) {
        length = 2;
    } else if (first >= 0xE0 && first <= 0xEF) {
        length = 3;
        least = first == 0xE0 ? 0xA0 : 0x80;
        most = first == 0xED ? 0x9F : 0xBF;
    } else if (first >= 0xF0 && first <= 0xF4) {
        length = 4;
        least = first == 0xF0 ? 0x90 : 0x80;
        most = first == 0xF4 ? 0x8F : 0xBF;
    } else {
        return {Utf8Step::Kind::Broken, 1};
    }
    for (std::size_t i = 1; i < length; ++i) {
        if (at + i == text.size()) {
            return {Utf8Step::Kind::Truncated, i};
        }
        const std::uint8_t next = byte_at(at + i);
        if (next < least || next > most) {
            return {Utf8Step::Kind::Broken, i};
        }
        least = 0x80;
        most = 0xBF;
    }
    return {Utf8Step::Kind::Valid, length};
}

// Appends a code point. Precondition: code_point <= 0x10FFFF.
template <class String>
void append_utf8(String& out, std::uint32_t code_point) {
    const auto put = [&](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
    if (code_point < 0x80) {
        put(code_point);
    } else if (code_point < 0x800) {
        put(0xC0 | code_point >> 6);
        put(0x80 | (code_point & 0x3F));
    } else if (code_point < 0x10000) {
        put(0xE0 | code_point >> 12);
        put(0x80 | (code_point >> 6 & 0x3F));
        put(0x80 | (code_point & 0x3F));
    } else {
        put(0xF0 | code_point >> 18);
        put(0x80 | (code_point >> 12 & 0x3F));
        put(0x80 | (code_point >> 6 & 0x3F));
        put(0x80 | (code_point & 0x3F));
    }
}

}  // namespace hearth
