// GPT-2's way of writing bytes as printable characters, in which byte-level vocabularies are kept:
// printable Latin-1 stands for itself, every other byte for a character from U+0100 on, in order.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "text/utf8.h"

namespace hearth {

inline constexpr std::uint32_t kByteLevelEnd = 0x100 + 68;  // one past the last such character

constexpr bool stands_for_itself(std::uint32_t byte) {
    return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

// The character of each byte.
constexpr std::array<std::uint16_t, 256> byte_level_characters() {
    std::array<std::uint16_t, 256> characters{};
    std::uint16_t next = 0x100;
    for (std::uint16_t byte = 0; byte < 256; ++byte) {
        characters[byte] = stands_for_itself(byte) ? byte : next++;
    }
    return characters;
}

// The byte of each character below kByteLevelEnd, -1 for those that stand for none.
constexpr std::array<std::int16_t, kByteLevelEnd> byte_level_bytes() {
    std::array<std::int16_t, kByteLevelEnd> bytes{};
    for (auto& byte : bytes) {
        byte = -1;
    }
    constexpr auto characters = byte_level_characters();
    for (std::uint16_t byte = 0; byte < 256; ++byte) {
        bytes[characters[byte]] = static_cast<std::int16_t>(byte);
    }
    return bytes;
}

// Appends the bytes that `text` stands for. False, with nothing appended, if it has a character
// that stands for none.
inline bool append_byte_level(std::string_view text, std::string& out) {
    static constexpr auto kBytes = byte_level_bytes();
    const std::size_t start = out.size();
    for (std::size_t at = 0; at < text.size();) {
        const auto first = static_cast<std::uint8_t>(text[at]);
        std::uint32_t character = first;
        std::size_t length = 1;
        if (first >= 0x80) {
            const Utf8Step step = utf8_step(text, at);
            if (step.kind != Utf8Step::Kind::Valid || step.bytes != 2) {
                out.resize(start);
                return false;
            }
            length = 2;
            character = (first & 0x1FU) << 6 | (static_cast<std::uint8_t>(text[at + 1]) & 0x3FU);
        }
        if (character >= kByteLevelEnd || kBytes[character] < 0) {
            out.resize(start);
            return false;
        }
        out.push_back(static_cast<char>(kBytes[character]));
        at += length;
    }
    return true;
}

}  // namespace hearth
