// Quantised blocks as they lie in a file, those that have a struct. BlockShape (encoding.h) says
// where the parts of all types lie. Layout: GGUF specification.
#pragma once

#include <cstdint>

namespace hearth {

inline constexpr int kBlockValues = 32;
inline constexpr int kSuperBlockValues = 256;  // of the _K types

// value[i] = d * (nibble(i) - 8); nibble(i) is the low half of qs[i] for i < 16, the high half of
// qs[i - 16] from there on. d: IEEE half.
struct BlockQ4_0 {
    std::uint16_t d;
    std::uint8_t qs[kBlockValues / 2];
};
static_assert(sizeof(BlockQ4_0) == 18);

// value[i] = d * (nibble(i) + 16 * bit(i) - 16); nibbles as of Q4_0, bit(i) is bit i % 8 of qh[i /
// 8]. d: IEEE half.
struct BlockQ5_0 {
    std::uint16_t d;
    std::uint8_t qh[kBlockValues / 8];
    std::uint8_t qs[kBlockValues / 2];
};
static_assert(sizeof(BlockQ5_0) == 22);

// value[i] = d * qs[i]. d: IEEE half.
struct BlockQ8_0 {
    std::uint16_t d;
    std::int8_t qs[kBlockValues];
};
static_assert(sizeof(BlockQ8_0) == 34);

// value[i] = d * scales[i / 16] * (code(i) - 32). Codes have 6 bits: with h = i / 128, j = i % 128,
// the low four are a half of ql[64 * h + j % 64] (the low half for j < 64), the high two lie in
// qh[32 * h + j % 32] from bit 2 * (j / 32) on. d: IEEE half.
struct BlockQ6_K {
    std::uint8_t ql[kSuperBlockValues / 2];
    std::uint8_t qh[kSuperBlockValues / 4];
    std::int8_t scales[kSuperBlockValues / 16];
    std::uint16_t d;
};
static_assert(sizeof(BlockQ6_K) == 210);

}  // namespace hearth
