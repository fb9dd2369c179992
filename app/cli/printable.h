// Text from files made fit for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hearth::cli {

// Control characters, bytes that are no UTF-8 and characters that reverse the direction of text
// become visible: "\n", "\x1B", "\u{202E}". Anything else stays. Cut with "..." after `most` bytes
// of `text`, never inside a character.
std::string printable(std::string_view text, std::size_t most = std::string_view::npos);

}  // namespace hearth::cli
