// The vocabulary of NEON with the dot product: 4 lanes. Unnamed, because an inline function that
// folders share might be linked in the form for newer cores.
#pragma once

#include <arm_neon.h>

#include <cstring>

#include "cpu/kernels/kernels.h"

namespace hearth::kernels::neon {
namespace {

using Floats = float32x4_t;
using Ints = int32x4_t;
using Bytes = uint8x16_t;  // four a lane
constexpr int kLanes = 4;

// ---- memory ------------------------------------------------------------------------------------

inline Floats load(const float* p) {
    return vld1q_f32(p);
}
inline void store(float* p, Floats v) {
    vst1q_f32(p, v);
}
// Lanes below n; the others are 0.
inline Floats load_first(const float* p, int n) {
    if (n >= kLanes) {
        return load(p);
    }
    float lanes[kLanes] = {};
    for (int i = 0; i < n; ++i) {
        lanes[i] = p[i];
    }
    return load(lanes);
}
inline void store_first(float* p, Floats v, int n) {
    if (n >= kLanes) {
        store(p, v);
        return;
    }
    float lanes[kLanes];
    store(lanes, v);
    for (int i = 0; i < n; ++i) {
        p[i] = lanes[i];
    }
}
inline uint16x4_t load_shorts(const std::byte* p) {
    return vld1_u16(reinterpret_cast<const std::uint16_t*>(p));
}
inline Floats load_halves(const std::byte* p) {
    return vcvt_f32_f16(vreinterpret_f16_u16(load_shorts(p)));
}
inline Floats load_bfloats(const std::byte* p) {
    return vreinterpretq_f32_u32(vshll_n_u16(load_shorts(p), 16));
}
inline Bytes load_bytes(const void* p) {
    return vld1q_u8(static_cast<const std::uint8_t*>(p));
}
inline void store_bytes(void* p, Bytes v) {
    vst1q_u8(static_cast<std::uint8_t*>(p), v);
}
inline std::uint32_t load_dword(const void* p) {
    std::uint32_t value;
    std::memcpy(&value, p, sizeof value);
    return value;
}
// A lane a byte.
inline Ints load_signed(const std::byte* p) {
    return vmovl_s16(vget_low_s16(vmovl_s8(vreinterpret_s8_u32(vdup_n_u32(load_dword(p))))));
}
inline Ints load_unsigned(const std::byte* p) {
    return vreinterpretq_s32_u32(
        vmovl_u16(vget_low_u16(vmovl_u8(vreinterpret_u8_u32(vdup_n_u32(load_dword(p)))))));
}
inline Floats spread(float value) {
    return vdupq_n_f32(value);
}
inline Ints spread(std::int32_t value) {
    return vdupq_n_s32(value);
}
inline Bytes spread_dword(const void* p) {
    return vreinterpretq_u8_u32(vdupq_n_u32(load_dword(p)));
}
inline Bytes spread_byte(int value) {
    return vdupq_n_u8(static_cast<std::uint8_t>(value));
}
// The processor's own prefetcher is left alone.
inline void fetch(const void* /*p*/) {}
inline void fetch_far(const void* /*p*/) {}
inline void fetch_row(const void* /*p*/) {}

// ---- arithmetic --------------------------------------------------------------------------------

inline Floats add(Floats a, Floats b) {
    return vaddq_f32(a, b);
}
inline Floats mul(Floats a, Floats b) {
    return vmulq_f32(a, b);
}
// a * b + c
inline Floats fma(Floats a, Floats b, Floats c) {
    return vfmaq_f32(c, a, b);
}
inline Floats to_floats(Ints v) {
    return vcvtq_f32_s32(v);
}
inline float sum_lanes(Floats v) {
    return vaddvq_f32(v);
}
inline Ints add(Ints a, Ints b) {
    return vaddq_s32(a, b);
}
inline Ints sub(Ints a, Ints b) {
    return vsubq_s32(a, b);
}
inline Ints mul(Ints a, Ints b) {
    return vmulq_s32(a, b);
}
template <int n>
inline Ints shift_left(Ints v) {
    return vshlq_n_s32(v, n);
}
// `width` bits of each lane, from bit n on.
inline Ints bits_of(Bytes v, int n, int width) {
    const uint32x4_t down = vshlq_u32(vreinterpretq_u32_u8(v), vdupq_n_s32(-n));
    return vreinterpretq_s32_u32(vandq_u32(down, vdupq_n_u32((1U << width) - 1U)));
}
// Byte n of each lane.
inline Ints bits_of(Ints v, int n, int width) {
    return bits_of(vreinterpretq_u8_s32(v), n, width);
}
// As power_of(), but 0 becomes 0.
inline Floats power_floats(Ints exponents) {
    return vmulq_n_f32(vreinterpretq_f32_s32(vshlq_n_s32(exponents, 23)), 0.5F);
}
inline Ints byte_of(Bytes v, int n) {
    return bits_of(v, 8 * n, 8);
}
inline Bytes sub_bytes(Bytes a, Bytes b) {
    return vsubq_u8(a, b);
}

// ---- codes -------------------------------------------------------------------------------------

inline Bytes low_nibbles(Bytes v) {
    return vandq_u8(v, vdupq_n_u8(15));
}
inline Bytes high_nibbles(Bytes v) {
    return vshrq_n_u8(v, 4);
}
// nibbles with `width` bits of h, from bit `from` of each byte on, as their next higher bits.
inline Bytes with_high_bits(Bytes nibbles, Bytes h, int from, int width) {
    const uint8x16_t at_4 = vshlq_u8(h, vdupq_n_s8(static_cast<std::int8_t>(4 - from)));
    return vorrq_u8(nibbles, vandq_u8(at_4, spread_byte(((1 << width) - 1) << 4)));
}
inline Bytes with_high_bits(Bytes nibbles, const std::byte* h, int from, int width) {
    return with_high_bits(nibbles, load_bytes(h), from, width);
}
// Entries of a table of 16, plus zero.
template <int zero>
inline Bytes look_up(const std::int8_t* table, Bytes nibbles) {
    const uint8x16_t entries = vreinterpretq_u8_s8(vld1q_s8(table));
    return vqtbl1q_u8(vaddq_u8(entries, spread_byte(zero)), nibbles);
}
// Nibble k of each lane, less the zero.
template <int zero>
inline Floats nibble_floats(Bytes v, int k) {
    return to_floats(sub(bits_of(v, 4 * k, 4), spread(zero)));
}
// Four registers byte by byte, in the order of w.
inline void interleave(Bytes (&w)[4]) {
    const uint16x8_t low01 = vreinterpretq_u16_u8(vzip1q_u8(w[0], w[1]));
    const uint16x8_t high01 = vreinterpretq_u16_u8(vzip2q_u8(w[0], w[1]));
    const uint16x8_t low23 = vreinterpretq_u16_u8(vzip1q_u8(w[2], w[3]));
    const uint16x8_t high23 = vreinterpretq_u16_u8(vzip2q_u8(w[2], w[3]));
    w[0] = vreinterpretq_u8_u16(vzip1q_u16(low01, low23));
    w[1] = vreinterpretq_u8_u16(vzip2q_u16(low01, low23));
    w[2] = vreinterpretq_u8_u16(vzip1q_u16(high01, high23));
    w[3] = vreinterpretq_u8_u16(vzip2q_u16(high01, high23));
}
// A lane is a byte of each.
inline Bytes interleave_bytes(const std::byte* a, const std::byte* b, const std::byte* c,
                              const std::byte* d) {
    Bytes w[4] = {spread_dword(a), spread_dword(b), spread_dword(c), spread_dword(d)};
    interleave(w);
    return w[0];
}

// ---- scales of blocks of a row -----------------------------------------------------------------

using BlockFloats = float32x4_t;
constexpr int kScaleGroups = 1;  // whose blocks' scales are made at once

inline BlockFloats spread_blocks(float value) {
    return spread(value);
}
inline BlockFloats load_blocks(const float* p, int /*n*/) {
    return load(p);
}
inline BlockFloats load_block_halves(const std::byte* p, int /*n*/) {
    return load_halves(p);
}
// Each f16 for eight blocks.
inline BlockFloats load_eighths(const std::byte* p, int /*n*/) {
    std::uint16_t half;
    std::memcpy(&half, p, sizeof half);
    return vcvt_f32_f16(vreinterpret_f16_u16(vdup_n_u16(half)));
}
// Of the four blocks of a group.
// Bytes, and exponents of powers.
inline BlockFloats load_block_bytes(const std::byte* p, int /*n*/) {
    return to_floats(load_unsigned(p));
}
inline BlockFloats load_block_powers(const std::byte* p, int /*n*/) {
    return power_floats(load_unsigned(p));
}
inline BlockFloats group_halves_times(const std::byte* p, float a) {
    return vmulq_n_f32(load_halves(p), a);
}
inline Floats one_block(BlockFloats scales, int block) {
    return block == 0   ? vdupq_laneq_f32(scales, 0)
           : block == 1 ? vdupq_laneq_f32(scales, 1)
           : block == 2 ? vdupq_laneq_f32(scales, 2)
                        : vdupq_laneq_f32(scales, 3);
}
// Each lane's block's.
inline Floats of_block(BlockFloats scales, int block) {
    return one_block(scales, block);
}
// A signed byte for four lanes.
inline Ints spread_quads(const std::byte* p) {
    return spread(static_cast<std::int32_t>(static_cast<std::int8_t>(*p)));
}
inline float sum_dot(Floats sum, BlockFloats offsets) {
    return sum_lanes(sum) + sum_lanes(offsets);
}

// ---- products ----------------------------------------------------------------------------------

// The instruction multiplies signed by signed bytes. A zero up to 16 may stay in the codes: they
// are signed bytes as they stand.
constexpr int kMostZeroLeft = 16;

inline Ints dot(Ints sum, Bytes codes, Bytes values) {
    return vdotq_s32(sum, vreinterpretq_s8_u8(codes), vreinterpretq_s8_u8(values));
}
// Values that are one lane of a register: no broadcast.
struct LaneValues {
    int8x16_t all;
    int lane;
};
inline Ints dot(Ints sum, Bytes codes, const LaneValues& values) {
    const int8x16_t w = vreinterpretq_s8_u8(codes);
    return values.lane == 0   ? vdotq_laneq_s32(sum, w, values.all, 0)
           : values.lane == 1 ? vdotq_laneq_s32(sum, w, values.all, 1)
           : values.lane == 2 ? vdotq_laneq_s32(sum, w, values.all, 2)
                              : vdotq_laneq_s32(sum, w, values.all, 3);
}

// Activations of a group W tokens wide, 32 columns. A register holds one column group of four
// tokens, or four column groups of one.
template <int W>
struct Activations {
    const std::byte* at;

    LaneValues values(int g, int t) const {
        const int dword = g * W + t;
        return {vld1q_s8(reinterpret_cast<const std::int8_t*>(at) + dword / 4 * 16), dword % 4};
    }
    Floats d(int t) const { return spread(reinterpret_cast<const float*>(at)[8 * W + t]); }
    Ints offset(int t) const {
        return spread(reinterpret_cast<const std::int32_t*>(at)[9 * W + t]);
    }
};

}  // namespace
}  // namespace hearth::kernels::neon
