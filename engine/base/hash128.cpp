#include "base/hash128.h"

#include <bit>
#include <cstring>

namespace hearth {
namespace {

// The finisher of SplitMix64 (Steele, Lea, Flood 2014): every input bit reaches every output bit.
std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
    return x ^ (x >> 31);
}

std::uint64_t little_endian(const std::byte* bytes, std::size_t count) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, count);
    if constexpr (std::endian::native == std::endian::big) {
        std::uint64_t swapped = 0;
        for (int i = 0; i < 8; ++i) {
            swapped = swapped << 8 | (word >> 8 * i & 0xFF);
        }
        return swapped;
    }
    return word;
}

}  // namespace

void Hash128::add(std::uint64_t number) {
    // Odd multipliers and rotations: each lane's step can be undone, so no two states merge for
    // one word. The lanes see the word differently and see each other.
    lanes_[0] = std::rotl((lanes_[0] ^ number) * 0x9E3779B97F4A7C15U, 29) + lanes_[1];
    lanes_[1] = std::rotl((lanes_[1] + number) * 0xD6E8FEB86659FD93U, 37) ^ lanes_[0];
}

void Hash128::add(std::span<const std::byte> bytes) {
    add(static_cast<std::uint64_t>(bytes.size()));
    while (bytes.size() >= 8) {
        add(little_endian(bytes.data(), 8));
        bytes = bytes.subspan(8);
    }
    if (!bytes.empty()) {
        add(little_endian(bytes.data(), bytes.size()));
    }
}

std::string Hash128::hex() const {
    constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (const std::uint64_t word :
         {mixed(lanes_[0] ^ mixed(lanes_[1])), mixed(lanes_[1] + mixed(lanes_[0]))}) {
        for (int shift = 60; shift >= 0; shift -= 4) {
            text += kDigits[word >> shift & 0xF];
        }
    }
    return text;
}

}  // namespace hearth
