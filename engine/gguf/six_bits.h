// Eight numbers of six bits, of the runs of 32 values that a block of 256 has: as layouts that hold
// single rows store them.
#pragma once

#include <cstdint>

namespace hearth {

// low: byte j has the low four bits of number j, and above them those of number 4 + j.
// high: byte j has the two high bits of numbers j, j + 2, j + 4 and j + 6, the first in its lowest.
struct SixBits {
    std::uint8_t low[4];
    std::uint8_t high[2];
};
static_assert(sizeof(SixBits) == 6);

// numbers: 8, each below 64, `step` apart.
template <class Number>
constexpr SixBits join_six_bits(const Number* numbers, int step, int offset) {
    SixBits six{};
    for (int i = 0; i < 8; ++i) {
        const auto number = static_cast<unsigned>(numbers[i * step] + offset);
        six.low[i % 4] = static_cast<std::uint8_t>(six.low[i % 4] | (number & 15U) << 4 * (i / 4));
        six.high[i % 2] = static_cast<std::uint8_t>(six.high[i % 2] | number >> 4 << 2 * (i / 2));
    }
    return six;
}
constexpr int six_bits(const SixBits& six, int i) {
    const int low = six.low[i % 4] >> 4 * (i / 4) & 15;
    return low | (six.high[i % 2] >> 2 * (i / 2) & 3) << 4;
}
// Number i in byte i.
constexpr std::uint64_t six_bits_as_bytes(std::uint32_t low, std::uint16_t high) {
    constexpr std::uint64_t kLow = 0x0F0F0F0FU;
    constexpr std::uint64_t kTwo = 0x0303U;
    const std::uint64_t h = high;
    const std::uint64_t above =
        (h & kTwo) | (h >> 2 & kTwo) << 16 | (h >> 4 & kTwo) << 32 | (h >> 6 & kTwo) << 48;
    return (low & kLow) | (low >> 4 & kLow) << 32 | above << 4;
}

}  // namespace hearth
