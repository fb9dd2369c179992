// Says where in a text something is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hearth {

// "line 3, column 7" of a byte; both count from 1, columns in characters.
inline std::string place_in(std::string_view text, std::size_t at) {
    at = std::min(at, text.size());
    const std::string_view before = text.substr(0, at);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is 0
    const auto column =
        1 + std::count_if(before.begin() + static_cast<std::ptrdiff_t>(start), before.end(),
                          [](char c) { return (static_cast<std::uint8_t>(c) & 0xC0) != 0x80; });
    return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

// Text of a grammar or a schema made fit for a message: control characters become ?, and what is
// longer than 60 bytes is cut.
inline std::string shown_text(std::string_view text) {
    constexpr std::size_t kMost = 60;
    std::string out(text.substr(0, kMost));
    while (text.size() > kMost && !out.empty() &&
           (static_cast<std::uint8_t>(text[out.size()]) & 0xC0) == 0x80) {
        out.pop_back();  // not half a character
    }
    std::replace_if(
        out.begin(), out.end(),
        [](char c) { return static_cast<std::uint8_t>(c) < 0x20 || c == 0x7F; }, '?');
    return text.size() > kMost ? out + "..." : out;
}

// The code point of one well-formed character.
inline std::uint32_t decoded(std::string_view character) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(character[i]); };
    constexpr std::uint8_t kFirstBits[] = {0x7F, 0x7F, 0x1F, 0x0F, 0x07};
    std::uint32_t value = byte(0) & kFirstBits[character.size()];
    for (std::size_t i = 1; i < character.size(); ++i) {
        value = value << 6 | (byte(i) & 0x3FU);
    }
    return value;
}

}  // namespace hearth
