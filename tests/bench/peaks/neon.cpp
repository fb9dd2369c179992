#include "bench/peaks/peaks.h"

#include <arm_neon.h>

namespace hearth::bench::neon {

float int8_rounds(std::uint64_t rounds) {
    int32x4_t acc[kChains];
    for (int i = 0; i < kChains; ++i) {
        acc[i] = vdupq_n_s32(i);
    }
    const int8x16_t weights = vdupq_n_s8(3);
    const int8x16_t values = vdupq_n_s8(-2);
    for (std::uint64_t round = 0; round < rounds; ++round) {
        for (int32x4_t& a : acc) {
            a = vdotq_s32(a, weights, values);
        }
    }
    int32x4_t sum = acc[0];
    for (int i = 1; i < kChains; ++i) {
        sum = vaddq_s32(sum, acc[i]);
    }
    return static_cast<float>(vaddvq_s32(sum));
}

float f32_rounds(std::uint64_t rounds) {
    float32x4_t acc[kChains];
    for (int i = 0; i < kChains; ++i) {
        acc[i] = vdupq_n_f32(static_cast<float>(i));
    }
    // The addend is the accumulator here: it walks towards no limit, but far from overflow.
    const float32x4_t a = vdupq_n_f32(0x1p-20F);
    const float32x4_t b = vdupq_n_f32(0x1p-3F);
    for (std::uint64_t round = 0; round < rounds; ++round) {
        for (float32x4_t& sum : acc) {
            sum = vfmaq_f32(sum, a, b);
        }
    }
    float32x4_t sum = acc[0];
    for (int i = 1; i < kChains; ++i) {
        sum = vaddq_f32(sum, acc[i]);
    }
    return vaddvq_f32(sum);
}

}  // namespace hearth::bench::neon
