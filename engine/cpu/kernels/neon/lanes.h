// The vocabulary of NEON that element-wise functions and attention have beside simd.h. Unnamed,
// because an inline function that folders share might be linked in the form for newer cores.
#pragma once

#include "cpu/kernels/neon/simd.h"

namespace hearth::kernels::neon {
namespace {

inline Floats infinities() {
    return vreinterpretq_f32_u32(vdupq_n_u32(0x7F800000U));
}
inline float first_lane(Floats v) {
    return vgetq_lane_f32(v, 0);
}
inline float infinity() {
    return first_lane(infinities());
}
inline Floats sub(Floats a, Floats b) {
    return vsubq_f32(a, b);
}
inline Floats div(Floats a, Floats b) {
    return vdivq_f32(a, b);
}
inline float square_root(float v) {
    return first_lane(vsqrtq_f32(vdupq_n_f32(v)));
}
inline float max_lanes(Floats v) {
    return vmaxnmvq_f32(v);
}
inline std::int32_t sum_lanes(Ints v) {
    return vaddvq_s32(v);
}
// Lanes below n are v's, the rest other's.
inline Floats first_or(Floats v, int n, Floats other) {
    static constexpr std::int32_t kIndex[kLanes] = {0, 1, 2, 3};
    return vbslq_f32(vcltq_s32(vld1q_s32(kIndex), vdupq_n_s32(n)), v, other);
}
// The larger of both in lanes below n. In the rest `before` counts, which is no larger than most.
inline Floats max_of_first(Floats most, Floats v, int n, Floats before) {
    return vmaxnmq_f32(most, first_or(v, n, before));
}
inline Floats keep(uint32x4_t mask, Floats v) {
    return vreinterpretq_f32_u32(vandq_u32(mask, vreinterpretq_u32_f32(v)));
}
// v where `of` is above 0; elsewhere 0.
inline Floats where_positive(Floats of, Floats v) {
    return keep(vcgtzq_f32(of), v);
}

// ---- the exponential ---------------------------------------------------------------------------

constexpr float kLeastExponent = -87.3F;
constexpr float kMostExponent = 88.7F;

// A NaN stays one.
inline Floats clamp(Floats v, float least, float most) {
    return vminq_f32(vmaxq_f32(v, spread(least)), spread(most));
}
inline Floats nearest(Floats v) {
    return vrndnq_f32(v);
}
// p * 2^n, which is e^x. The power is built from its exponent bits, so results below 2^-126 are 0.
inline Floats times_power_of_two(Floats p, Floats n, Floats x) {
    // Two factors, since n = 128 does not fit one exponent.
    const int32x4_t whole = vcvtq_s32_f32(n);
    const int32x4_t first = vshrq_n_s32(whole, 1);
    const int32x4_t bias = vdupq_n_s32(127);
    const int32x4_t a = vshlq_n_s32(vaddq_s32(first, bias), 23);
    const int32x4_t b = vshlq_n_s32(vaddq_s32(vsubq_s32(whole, first), bias), 23);
    p = mul(mul(p, vreinterpretq_f32_s32(a)), vreinterpretq_f32_s32(b));
    p = vbslq_f32(vcltq_f32(x, spread(kLeastExponent)), spread(0.0F), p);
    return vbslq_f32(vcgtq_f32(x, spread(kMostExponent)), infinities(), p);
}

#include "cpu/kernels/walks/exp.inc"

// ---- halves ------------------------------------------------------------------------------------

// Lanes below n; the others are 0.
inline Floats load_first_halves(const std::byte* p, int n) {
    if (n >= kLanes) {
        return load_halves(p);
    }
    std::byte halves[2 * kLanes] = {};
    std::memcpy(halves, p, 2 * static_cast<std::size_t>(n));
    return load_halves(halves);
}
inline void store_first_halves(std::uint16_t* p, Floats v, int n) {
    const uint16x4_t halves = vreinterpret_u16_f16(vcvt_f16_f32(v));
    if (n >= kLanes) {
        vst1_u16(p, halves);
    } else {
        std::memcpy(p, &halves, 2 * static_cast<std::size_t>(n));
    }
}

// ---- activations of 32 columns -----------------------------------------------------------------

constexpr int kBlockVectors = kBlockValues / kLanes;

// A NaN does not count.
inline float largest_magnitude(const Floats (&v)[kBlockVectors]) {
    Floats most = spread(0.0F);
    for (const Floats& lanes : v) {
        // Compared and selected, since fmax and fmaxnm both let a signalling NaN through.
        const Floats size = vabsq_f32(lanes);
        most = vbslq_f32(vcgtq_f32(size, most), size, most);
    }
    return vmaxvq_f32(most);
}
// Rounded to nearest, ties to even. A NaN, or a number beyond 127, becomes 0.
inline Ints to_codes(Floats v) {
    const Floats whole = nearest(v);
    return vcvtq_s32_f32(keep(vcleq_f32(vabsq_f32(whole), spread(127.0F)), whole));
}
// As bytes.
inline void store_codes(void* p, const Ints (&codes)[kBlockVectors]) {
    for (int j = 0; j < kBlockVectors; j += 4) {
        const int16x8_t low = vcombine_s16(vmovn_s32(codes[j]), vmovn_s32(codes[j + 1]));
        const int16x8_t high = vcombine_s16(vmovn_s32(codes[j + 2]), vmovn_s32(codes[j + 3]));
        const int8x16_t bytes = vcombine_s8(vmovn_s16(low), vmovn_s16(high));
        store_bytes(static_cast<std::byte*>(p) + 4 * j, vreinterpretq_u8_s8(bytes));
    }
}

}  // namespace
}  // namespace hearth::kernels::neon
