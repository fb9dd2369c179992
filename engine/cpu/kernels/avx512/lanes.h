// The vocabulary of AVX-512 that element-wise functions and attention have beside simd.h. Unnamed,
// because an inline function that folders share might be linked in its AVX-512 form.
#pragma once

#include "cpu/kernels/avx512/simd.h"

namespace hearth::kernels::avx512 {
namespace {

inline float infinity() {
    return __builtin_inff();
}
inline Floats sub(Floats a, Floats b) {
    return _mm512_sub_ps(a, b);
}
inline Floats div(Floats a, Floats b) {
    return _mm512_div_ps(a, b);
}
inline float square_root(float v) {
    return _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(v)));
}
inline float first_lane(Floats v) {
    return _mm512_cvtss_f32(v);
}
inline float max_lanes(Floats v) {
    return _mm512_reduce_max_ps(v);
}
inline std::int32_t sum_lanes(Ints v) {
    return _mm512_reduce_add_epi32(v);
}
// Lanes below n are v's, the rest other's.
inline Floats first_or(Floats v, int n, Floats other) {
    return _mm512_mask_mov_ps(other, first_lanes(n), v);
}
// The larger of both in lanes below n. In the rest `before` counts, which is no larger than most.
inline Floats max_of_first(Floats most, Floats v, int n, Floats /*before*/) {
    return _mm512_mask_max_ps(most, first_lanes(n), most, v);
}
// v where `of` is above 0; elsewhere 0.
inline Floats where_positive(Floats of, Floats v) {
    return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(of, _mm512_setzero_ps(), _CMP_GT_OQ), v);
}

// ---- the exponential ---------------------------------------------------------------------------

constexpr float kLeastExponent = -104.0F;
constexpr float kMostExponent = 89.0F;

inline Floats clamp(Floats v, float least, float most) {
    return _mm512_min_ps(_mm512_max_ps(v, spread(least)), spread(most));
}
inline Floats nearest(Floats v) {
    return _mm512_roundscale_ps(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
// p * 2^n, which is e^x.
inline Floats times_power_of_two(Floats p, Floats n, Floats /*x*/) {
    return _mm512_scalef_ps(p, n);
}

#include "cpu/kernels/walks/exp.inc"

// ---- halves ------------------------------------------------------------------------------------

// Lanes below n; the others are 0.
inline Floats load_first_halves(const std::byte* p, int n) {
    return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(first_lanes(n), p));
}
inline void store_first_halves(std::uint16_t* p, Floats v, int n) {
    _mm256_mask_storeu_epi16(p, first_lanes(n), _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
}

// ---- activations of 32 columns -----------------------------------------------------------------

constexpr int kBlockVectors = kBlockValues / kLanes;

inline float largest_magnitude(const Floats (&v)[kBlockVectors]) {
    return max_lanes(_mm512_max_ps(_mm512_abs_ps(v[0]), _mm512_abs_ps(v[1])));
}
// Rounded to nearest, ties to even. A NaN, or a number beyond 127, becomes 0.
inline Ints to_codes(Floats v) {
    const Floats whole = nearest(v);
    const __mmask16 fine = _mm512_cmp_ps_mask(_mm512_abs_ps(whole), spread(127.0F), _CMP_LE_OQ);
    return _mm512_maskz_cvtps_epi32(fine, whole);
}
// As bytes.
inline void store_codes(void* p, const Ints (&codes)[kBlockVectors]) {
    _mm256_storeu_si256(static_cast<__m256i*>(p), _mm256_set_m128i(_mm512_cvtepi32_epi8(codes[1]),
                                                                   _mm512_cvtepi32_epi8(codes[0])));
}

}  // namespace
}  // namespace hearth::kernels::avx512
