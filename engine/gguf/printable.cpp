#include "gguf/printable.h"

#include <cstddef>
#include <cstdio>

namespace hearth {

std::string printable(std::string_view text) {
    constexpr std::size_t kMost = 80;
    std::string out;
    for (const char c : text) {
        if (out.size() >= kMost) {
            out += "...";
            break;
        }
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte < 0x7F) {
            out += c;
        } else {
            char escaped[8];
            std::snprintf(escaped, sizeof escaped, "\\x%02X", static_cast<unsigned>(byte));
            out += escaped;
        }
    }
    return out;
}

}  // namespace hearth
