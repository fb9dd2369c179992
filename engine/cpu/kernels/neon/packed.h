// NEON's words for packed blocks, beside simd.h.
#pragma once

#include "cpu/kernels/neon/simd.h"

namespace hearth::kernels::neon {
namespace {

inline Ints load_ints(const std::int32_t* p) {
    return vld1q_s32(p);
}
inline void store_ints(std::int32_t* p, Ints v) {
    vst1q_s32(p, v);
}
inline Bytes as_bytes(Ints v) {
    return vreinterpretq_u8_s32(v);
}
inline Bytes both(Bytes a, Bytes b) {
    return vandq_u8(a, b);
}
inline Bytes exclusive(Bytes a, Bytes b) {
    return veorq_u8(a, b);
}
// a, and of b what the mask has.
inline Bytes with_masked(Bytes a, Bytes b, Bytes mask) {
    return vorrq_u8(a, vandq_u8(b, mask));
}
inline Bytes with_masked(Bytes a, Bytes b, Ints mask) {
    return with_masked(a, b, as_bytes(mask));
}
// Bits go to lower and to higher places within 16 bits.
template <int n>
inline Bytes down_bits(Bytes v) {
    return vreinterpretq_u8_u16(vshrq_n_u16(vreinterpretq_u16_u8(v), n));
}
template <int n>
inline Bytes up_bits(Bytes v) {
    return vreinterpretq_u8_u16(vshlq_n_u16(vreinterpretq_u16_u8(v), n));
}
// Codes 64 + n become 64 - n where signs have the bit.
inline Bytes change_signs(Bytes codes, Bytes signs, Ints bits) {
    const Bytes negative = vtstq_u8(signs, as_bytes(bits));
    return vbslq_u8(negative, vsubq_u8(vdupq_n_u8(128), codes), codes);
}
// Byte i of each lane, in all four of its bytes.
template <int i>
inline Bytes spread_fours(Bytes v) {
    constexpr std::uint8_t kFrom[16] = {i,     i,     i,     i,     4 + i,  4 + i,  4 + i,  4 + i,
                                        8 + i, 8 + i, 8 + i, 8 + i, 12 + i, 12 + i, 12 + i, 12 + i};
    return vqtbl1q_u8(v, vld1q_u8(kFrom));
}
// Twice a lane's level plus one, whose bit i is the highest one of byte i.
inline Ints levels(Bytes v) {
    const uint8x16_t weights = vreinterpretq_u8_u32(vdupq_n_u32(0x10080402U));
    return vreinterpretq_s32_u32(vdotq_u32(vdupq_n_u32(1), vshrq_n_u8(v, 7), weights));
}

// Patterns of four of four rows. number: of a row's pattern.
template <class Number>
inline Bytes load_patterns(const std::uint32_t* patterns, Number&& number) {
    const std::uint32_t rows[4] = {patterns[number(0)], patterns[number(1)], patterns[number(2)],
                                   patterns[number(3)]};
    return vreinterpretq_u8_u32(vld1q_u32(rows));
}
// Patterns of eight: columns 0 to 3 and 4 to 7.
template <class Number>
inline void load_patterns(const std::uint64_t* patterns, Number&& number, Bytes& first,
                          Bytes& second) {
    const auto two = [&](int r) {
        return vreinterpretq_u32_u64(
            vcombine_u64(vld1_u64(patterns + number(r)), vld1_u64(patterns + number(r + 1))));
    };
    const uint32x4_t a = two(0);
    const uint32x4_t b = two(2);
    first = vreinterpretq_u8_u32(vuzp1q_u32(a, b));
    second = vreinterpretq_u8_u32(vuzp2q_u32(a, b));
}

}  // namespace
}  // namespace hearth::kernels::neon
