// Text from a file made fit for a message.
#pragma once

#include <string>
#include <string_view>

namespace hearth {

// In single quotes; at most 60 bytes; what is not printable ASCII as \xHH. (Not "quoted": a call
// with a std::string would find std::quoted as well, where a standard header brings in <iomanip>.)
inline std::string in_quotes(std::string_view text) {
    constexpr std::string_view kHex = "0123456789ABCDEF";
    constexpr std::size_t kMost = 60;
    std::string out = "'";
    for (const char c : text.substr(0, kMost)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte < 0x7F) {
            out += c;
        } else {
            out += "\\x";
            out += kHex[byte >> 4];
            out += kHex[byte & 15];
        }
    }
    return out + (text.size() > kMost ? "...'" : "'");
}

}  // namespace hearth
