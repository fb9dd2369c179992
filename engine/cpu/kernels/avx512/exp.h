// e^x for 16 lanes. Static: an inline function shared between folders might be linked in its
// AVX-512 form.
#pragma once

#include <immintrin.h>

namespace hearth::kernels::avx512 {
namespace {

// e^x = 2^n * e^r with n = round(x / ln 2), |r| <= ln 2 / 2; ln 2 is subtracted in two parts so
// that r is exact to float precision. Relative error below 2e-7 on [-87, 88] (tests/engine/cpu);
// below -87 the result goes to 0 by scalef, above 88 it becomes infinity.
inline __m512 exp_lanes(__m512 x) {
    x = _mm512_min_ps(_mm512_max_ps(x, _mm512_set1_ps(-104.0F)), _mm512_set1_ps(89.0F));
    const __m512 n = _mm512_roundscale_ps(_mm512_mul_ps(x, _mm512_set1_ps(1.44269504089F)),
                                          _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    __m512 r = _mm512_fnmadd_ps(n, _mm512_set1_ps(0.693359375F), x);
    r = _mm512_fnmadd_ps(n, _mm512_set1_ps(-2.12194440e-4F), r);
    // Taylor coefficients 1/6! ... 1/2!: at |r| <= 0.3466 the first one left out is below 1.3e-7 of
    // e^r.
    __m512 p = _mm512_set1_ps(1.0F / 720.0F);
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.0F / 120.0F));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.0F / 24.0F));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.0F / 6.0F));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0.5F));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.0F));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.0F));
    return _mm512_scalef_ps(p, n);
}

}  // namespace
}  // namespace hearth::kernels::avx512
