// AVX2's words for packed blocks, beside simd.h.
#pragma once

#include "cpu/kernels/avx2/simd.h"

namespace hearth::kernels::avx2 {
namespace {

inline Ints load_ints(const std::int32_t* p) {
    return load_bytes(p);
}
inline void store_ints(std::int32_t* p, Ints v) {
    store_bytes(p, v);
}
inline Bytes both(Bytes a, Bytes b) {
    return _mm256_and_si256(a, b);
}
inline Bytes exclusive(Bytes a, Bytes b) {
    return _mm256_xor_si256(a, b);
}
// a, and of b what the mask has.
inline Bytes with_masked(Bytes a, Bytes b, Bytes mask) {
    return _mm256_or_si256(a, _mm256_and_si256(b, mask));
}
// Bits go to lower and to higher places within 16 bits.
template <int n>
inline Bytes down_bits(Bytes v) {
    return _mm256_srli_epi16(v, n);
}
template <int n>
inline Bytes up_bits(Bytes v) {
    return _mm256_slli_epi16(v, n);
}
// Codes 64 + n become 64 - n where signs have the bit.
inline Bytes change_signs(Bytes codes, Bytes signs, Bytes bits) {
    const __m256i negative = _mm256_cmpeq_epi8(_mm256_and_si256(signs, bits), bits);
    const __m256i seven = _mm256_and_si256(negative, _mm256_set1_epi8(127));
    return _mm256_sub_epi8(_mm256_xor_si256(codes, seven), negative);
}
// Byte i of each lane, in all four of its bytes.
template <int i>
inline Bytes spread_fours(Bytes v) {
    return _mm256_shuffle_epi8(
        v, _mm256_setr_epi8(i, i, i, i, 4 + i, 4 + i, 4 + i, 4 + i, 8 + i, 8 + i, 8 + i, 8 + i,
                            12 + i, 12 + i, 12 + i, 12 + i, i, i, i, i, 4 + i, 4 + i, 4 + i, 4 + i,
                            8 + i, 8 + i, 8 + i, 8 + i, 12 + i, 12 + i, 12 + i, 12 + i));
}
// Twice a lane's level plus one, whose bit i is the highest one of byte i.
inline Ints levels(Bytes v) {
    const __m256i bits = _mm256_and_si256(v, _mm256_set1_epi8(-128));
    const __m256i pairs = _mm256_maddubs_epi16(bits, _mm256_set1_epi32(0x08040201));
    const __m256i all = _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
    return _mm256_add_epi32(_mm256_srli_epi32(all, 6), _mm256_set1_epi32(1));
}

// Patterns of four of eight rows. number: of a row's pattern.
template <class Number>
inline Bytes load_patterns(const std::uint32_t* patterns, Number&& number) {
    const auto four = [&](int r) {
        const auto at = [&](int i) { return static_cast<std::int32_t>(patterns[number(r + i)]); };
        return _mm_insert_epi32(
            _mm_insert_epi32(_mm_insert_epi32(_mm_cvtsi32_si128(at(0)), at(1), 1), at(2), 2), at(3),
            3);
    };
    return _mm256_set_m128i(four(4), four(0));
}
// Patterns of eight: columns 0 to 3 and 4 to 7.
template <class Number>
inline void load_patterns(const std::uint64_t* patterns, Number&& number, Bytes& first,
                          Bytes& second) {
    const auto two = [&](int r) {
        const __m128i low = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(patterns + number(r)));
        return _mm_loadh_pd(_mm_castsi128_pd(low),
                            reinterpret_cast<const double*>(patterns + number(r + 1)));
    };
    const __m256 a = _mm256_castpd_ps(_mm256_set_m128d(two(4), two(0)));
    const __m256 b = _mm256_castpd_ps(_mm256_set_m128d(two(6), two(2)));
    first = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0x88));
    second = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0xDD));
}

}  // namespace
}  // namespace hearth::kernels::avx2
