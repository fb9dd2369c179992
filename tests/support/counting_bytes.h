// Bytes that tell where they are from: neither aligned blocks nor neighbours look alike.
#pragma once

#include <cstddef>
#include <vector>

namespace hearth::test {

inline std::vector<std::byte> counting_bytes(std::size_t count) {
    std::vector<std::byte> bytes(count);
    for (std::size_t i = 0; i < count; ++i) {
        bytes[i] = static_cast<std::byte>(i * 7 + i / 251);
    }
    return bytes;
}

}  // namespace hearth::test
