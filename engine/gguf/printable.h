// Text of a file made fit for a message: it may reach a terminal and a log.
#pragma once

#include <string>
#include <string_view>

namespace hearth {

// Control bytes and bytes outside ASCII as \x1B, at most 80 characters.
std::string printable(std::string_view text);

}  // namespace hearth
