#include "bench/peaks/peaks.h"

#include <immintrin.h>

namespace hearth::bench::avxvnni {

float int8_rounds(std::uint64_t rounds) {
    __m256i acc[kChains];
    for (int i = 0; i < kChains; ++i) {
        acc[i] = _mm256_set1_epi32(i);
    }
    const __m256i weights = _mm256_set1_epi8(3);
    const __m256i values = _mm256_set1_epi8(-2);
    for (std::uint64_t round = 0; round < rounds; ++round) {
        for (__m256i& a : acc) {
            a = _mm256_dpbusd_avx_epi32(a, weights, values);
        }
    }
    __m256i sum = acc[0];
    for (int i = 1; i < kChains; ++i) {
        sum = _mm256_add_epi32(sum, acc[i]);
    }
    return static_cast<float>(_mm256_extract_epi32(sum, 0));
}

}  // namespace hearth::bench::avxvnni
