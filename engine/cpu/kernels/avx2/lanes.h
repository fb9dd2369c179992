// The vocabulary of AVX2 that element-wise functions and attention have beside simd.h. Unnamed,
// because an inline function that folders share might be linked in its AVX2 form.
#pragma once

#include "cpu/kernels/avx2/simd.h"

namespace hearth::kernels::avx2 {
namespace {

inline float infinity() {
    return __builtin_inff();
}
inline Floats sub(Floats a, Floats b) {
    return _mm256_sub_ps(a, b);
}
inline Floats div(Floats a, Floats b) {
    return _mm256_div_ps(a, b);
}
// b where either is no number.
inline Floats max(Floats a, Floats b) {
    return _mm256_max_ps(a, b);
}
inline Floats absolute(Floats v) {
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0F), v);
}
inline float square_root(float v) {
    return _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(v)));
}
inline float first_lane(Floats v) {
    return _mm256_cvtss_f32(v);
}
inline float max_lanes(Floats v) {
    __m128 s = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    s = _mm_max_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_max_ss(s, _mm_movehdup_ps(s)));
}
inline std::int32_t sum_lanes(Ints v) {
    __m128i s = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4E));
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0xB1));
    return _mm_cvtsi128_si32(s);
}
// Lanes below n are v's, the rest other's.
inline Floats first_or(Floats v, int n, Floats other) {
    return _mm256_blendv_ps(other, v, _mm256_castsi256_ps(first_lanes(n)));
}
// The larger of both in lanes below n. In the rest `before` counts, which is no larger than most.
inline Floats max_of_first(Floats most, Floats v, int n, Floats before) {
    return max(most, first_or(v, n, before));
}
// v where `of` is above 0; elsewhere 0.
inline Floats where_positive(Floats of, Floats v) {
    return _mm256_and_ps(v, _mm256_cmp_ps(of, _mm256_setzero_ps(), _CMP_GT_OQ));
}

// ---- the exponential ---------------------------------------------------------------------------

constexpr float kLeastExponent = -87.3F;
constexpr float kMostExponent = 88.7F;

inline Floats clamp(Floats v, float least, float most) {
    return _mm256_min_ps(_mm256_max_ps(v, spread(least)), spread(most));
}
inline Floats nearest(Floats v) {
    return _mm256_round_ps(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
// p * 2^n, which is e^x. The power is built from its exponent bits, so results below 2^-126 are 0.
inline Floats times_power_of_two(Floats p, Floats n, Floats x) {
    // Two factors, since n = 128 does not fit one exponent.
    const __m256i whole = _mm256_cvtps_epi32(n);
    const __m256i first = _mm256_srai_epi32(whole, 1);
    const __m256i bias = _mm256_set1_epi32(127);
    const __m256i a = _mm256_slli_epi32(_mm256_add_epi32(first, bias), 23);
    const __m256i b = _mm256_slli_epi32(_mm256_add_epi32(_mm256_sub_epi32(whole, first), bias), 23);
    p = mul(mul(p, _mm256_castsi256_ps(a)), _mm256_castsi256_ps(b));
    p = _mm256_andnot_ps(_mm256_cmp_ps(x, spread(kLeastExponent), _CMP_LT_OQ), p);
    return _mm256_blendv_ps(p, spread(infinity()),
                            _mm256_cmp_ps(x, spread(kMostExponent), _CMP_GT_OQ));
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
    const __m128i halves = _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT);
    if (n >= kLanes) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(p), halves);
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
        most = max(absolute(lanes), most);
    }
    return max_lanes(most);
}
// Rounded to nearest, ties to even. A NaN, or a number beyond 127, becomes 0.
inline Ints to_codes(Floats v) {
    const Floats whole = nearest(v);
    const Floats fine = _mm256_cmp_ps(absolute(whole), spread(127.0F), _CMP_LE_OQ);
    return _mm256_cvtps_epi32(_mm256_and_ps(whole, fine));
}
// As bytes.
inline void store_codes(void* p, const Ints (&codes)[kBlockVectors]) {
    const __m256i packed = _mm256_packs_epi16(_mm256_packs_epi32(codes[0], codes[1]),
                                              _mm256_packs_epi32(codes[2], codes[3]));
    // The packs work within 128-bit halves; the permutation puts the dwords back in order.
    store_bytes(p, _mm256_permutevar8x32_epi32(packed, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)));
}

}  // namespace
}  // namespace hearth::kernels::avx2
