// Random numbers of the system, as secrets need them.
#pragma once

#include <cstddef>
#include <vector>

namespace hearth::server {

// Empty: the system has none.
std::vector<unsigned char> random_bytes(std::size_t count);

}  // namespace hearth::server
