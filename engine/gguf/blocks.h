// The quantised blocks as they lie in a file. Layout: GGUF specification.
#pragma once

#include <cstdint>

namespace hearth {

inline constexpr int kBlockValues = 32;

// value[i] = d * (nibble(i) - 8); nibble(i) is the low half of qs[i] for i < 16, the high half of
// qs[i - 16] from there on. d: IEEE half.
struct BlockQ4_0 {
    std::uint16_t d;
    std::uint8_t qs[kBlockValues / 2];
};
static_assert(sizeof(BlockQ4_0) == 18);

// value[i] = d * qs[i]. d: IEEE half.
struct BlockQ8_0 {
    std::uint16_t d;
    std::int8_t qs[kBlockValues];
};
static_assert(sizeof(BlockQ8_0) == 34);

}  // namespace hearth
