// Four lanes: e^x and partial loads and stores, which NEON has no masks for. In an unnamed
// namespace: an inline function shared between folders might be linked in the form for newer cores.
#pragma once

#include <arm_neon.h>

#include <cstdint>

namespace hearth::kernels::neon {
namespace {

inline float32x4_t infinities() {
    return vreinterpretq_f32_u32(vdupq_n_u32(0x7F800000U));
}

// As in avx2/lanes.h. A NaN stays one.
inline float32x4_t exp_lanes(float32x4_t x) {
    const uint32x4_t tiny = vcltq_f32(x, vdupq_n_f32(-87.3F));
    const uint32x4_t huge = vcgtq_f32(x, vdupq_n_f32(88.7F));
    x = vminq_f32(vmaxq_f32(x, vdupq_n_f32(-87.3F)), vdupq_n_f32(88.7F));
    const float32x4_t n = vrndnq_f32(vmulq_n_f32(x, 1.44269504089F));
    float32x4_t r = vfmsq_f32(x, n, vdupq_n_f32(0.693359375F));
    r = vfmsq_f32(r, n, vdupq_n_f32(-2.12194440e-4F));
    float32x4_t p = vdupq_n_f32(1.0F / 720.0F);
    p = vfmaq_f32(vdupq_n_f32(1.0F / 120.0F), p, r);
    p = vfmaq_f32(vdupq_n_f32(1.0F / 24.0F), p, r);
    p = vfmaq_f32(vdupq_n_f32(1.0F / 6.0F), p, r);
    p = vfmaq_f32(vdupq_n_f32(0.5F), p, r);
    p = vfmaq_f32(vdupq_n_f32(1.0F), p, r);
    p = vfmaq_f32(vdupq_n_f32(1.0F), p, r);
    // Two factors, since n = 128 does not fit one exponent.
    const int32x4_t whole = vcvtq_s32_f32(n);
    const int32x4_t first = vshrq_n_s32(whole, 1);
    const int32x4_t bias = vdupq_n_s32(127);
    const float32x4_t a = vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(first, bias), 23));
    const float32x4_t b =
        vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(vsubq_s32(whole, first), bias), 23));
    p = vmulq_f32(vmulq_f32(p, a), b);
    p = vbslq_f32(tiny, vdupq_n_f32(0), p);
    return vbslq_f32(huge, infinities(), p);
}

// Lanes below `left`; the others are 0.
inline float32x4_t load_lanes(const float* p, int left) {
    if (left >= 4) {
        return vld1q_f32(p);
    }
    float lanes[4] = {};
    for (int i = 0; i < left; ++i) {
        lanes[i] = p[i];
    }
    return vld1q_f32(lanes);
}

// Lanes below `left`; none if it is not positive.
inline void store_lanes(float* p, float32x4_t v, int left) {
    if (left >= 4) {
        vst1q_f32(p, v);
        return;
    }
    float lanes[4];
    vst1q_f32(lanes, v);
    for (int i = 0; i < left; ++i) {
        p[i] = lanes[i];
    }
}

// All ones in lanes below `left`.
inline uint32x4_t lane_mask(int left) {
    static constexpr std::int32_t kIndex[4] = {0, 1, 2, 3};
    return vcltq_s32(vld1q_s32(kIndex), vdupq_n_s32(left));
}

}  // namespace
}  // namespace hearth::kernels::neon
