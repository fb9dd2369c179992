#include "bench/peaks/peaks.h"

#include <immintrin.h>

namespace hearth::bench::avx512 {

float int8_rounds(std::uint64_t rounds) {
    __m512i acc[kChains];
    for (int i = 0; i < kChains; ++i) {
        acc[i] = _mm512_set1_epi32(i);
    }
    const __m512i weights = _mm512_set1_epi8(3);
    const __m512i values = _mm512_set1_epi8(-2);
    for (std::uint64_t round = 0; round < rounds; ++round) {
        for (__m512i& a : acc) {
            a = _mm512_dpbusd_epi32(a, weights, values);
        }
    }
    __m512i sum = acc[0];
    for (int i = 1; i < kChains; ++i) {
        sum = _mm512_add_epi32(sum, acc[i]);
    }
    return static_cast<float>(_mm512_reduce_add_epi32(sum));
}

float f32_rounds(std::uint64_t rounds) {
    __m512 acc[kChains];
    for (int i = 0; i < kChains; ++i) {
        acc[i] = _mm512_set1_ps(static_cast<float>(i));
    }
    const __m512 factor = _mm512_set1_ps(0.5F);  // ends at 2: no infinities, no denormals
    const __m512 addend = _mm512_set1_ps(1.0F);
    for (std::uint64_t round = 0; round < rounds; ++round) {
        for (__m512& a : acc) {
            a = _mm512_fmadd_ps(a, factor, addend);
        }
    }
    __m512 sum = acc[0];
    for (int i = 1; i < kChains; ++i) {
        sum = _mm512_add_ps(sum, acc[i]);
    }
    return _mm512_reduce_add_ps(sum);
}

}  // namespace hearth::bench::avx512
