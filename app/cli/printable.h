// Makes text from files fit for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hearth::cli {

// Makes control characters, bytes that are no UTF-8 and characters that reverse the direction of
// text visible: "\n", "\x1B", "\u{202E}". Everything else stays. Cuts with "..." after `most` bytes
// of `text`, never inside a character.
std::string printable(std::string_view text, std::size_t most = std::string_view::npos);

}  // namespace hearth::cli
