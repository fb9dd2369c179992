// vpmaddubsw does 32 multiplications and half the additions; one 16-bit addition is the least a
// kernel needs beside it, so that is a round. Widening to 32 bits, needed now and then, is not
// counted: this is a limit.
#include "bench/peaks/peaks.h"

#include <immintrin.h>

namespace hearth::bench::avx2 {

float int8_rounds(std::uint64_t rounds) {
    __m256i acc[kChains];
    for (int i = 0; i < kChains; ++i) {
        acc[i] = _mm256_set1_epi8(static_cast<char>(i + 1));
    }
    const __m256i factor = _mm256_set1_epi8(1);
    for (std::uint64_t round = 0; round < rounds; ++round) {
        // The accumulator is an operand too, or the product could be taken out of the loop.
        for (__m256i& a : acc) {
            a = _mm256_add_epi16(a, _mm256_maddubs_epi16(a, factor));
        }
    }
    __m256i sum = acc[0];
    for (int i = 1; i < kChains; ++i) {
        sum = _mm256_add_epi16(sum, acc[i]);
    }
    return static_cast<float>(_mm256_extract_epi16(sum, 0));
}

float f32_rounds(std::uint64_t rounds) {
    __m256 acc[kChains];
    for (int i = 0; i < kChains; ++i) {
        acc[i] = _mm256_set1_ps(static_cast<float>(i));
    }
    const __m256 factor = _mm256_set1_ps(0.5F);  // ends at 2: no infinities, no denormals
    const __m256 addend = _mm256_set1_ps(1.0F);
    for (std::uint64_t round = 0; round < rounds; ++round) {
        for (__m256& a : acc) {
            a = _mm256_fmadd_ps(a, factor, addend);
        }
    }
    __m256 sum = acc[0];
    for (int i = 1; i < kChains; ++i) {
        sum = _mm256_add_ps(sum, acc[i]);
    }
    return _mm256_cvtss_f32(sum);
}

}  // namespace hearth::bench::avx2
