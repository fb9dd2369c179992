// The vocabulary of AVX-512 with VNNI: 16 lanes. Unnamed, because an inline function that folders
// share might be linked in a form that the processor lacks.
#pragma once

#include <immintrin.h>

#include <cstring>

#include "cpu/kernels/kernels.h"

namespace hearth::kernels::avx512 {
namespace {

using Floats = __m512;
using Ints = __m512i;   // 32 bits each
using Bytes = __m512i;  // four a lane
constexpr int kLanes = 16;

// ---- memory ------------------------------------------------------------------------------------

inline __mmask16 first_lanes(int n) {
    return n >= kLanes ? static_cast<__mmask16>(0xFFFF)
                       : static_cast<__mmask16>(n <= 0 ? 0U : (1U << n) - 1U);
}
inline Floats load(const float* p) {
    return _mm512_loadu_ps(p);
}
inline void store(float* p, Floats v) {
    _mm512_storeu_ps(p, v);
}
// Lanes below n; the others are 0.
inline Floats load_first(const float* p, int n) {
    return _mm512_maskz_loadu_ps(first_lanes(n), p);
}
inline void store_first(float* p, Floats v, int n) {
    _mm512_mask_storeu_ps(p, first_lanes(n), v);
}
inline Floats load_halves(const std::byte* p) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
}
inline Floats load_bfloats(const std::byte* p) {
    const __m512i wide =
        _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
    return _mm512_castsi512_ps(_mm512_slli_epi32(wide, 16));
}
inline Bytes load_bytes(const void* p) {
    return _mm512_loadu_si512(p);
}
inline void store_bytes(void* p, Bytes v) {
    _mm512_storeu_si512(p, v);
}
// A lane a byte.
inline Ints load_signed(const std::byte* p) {
    return _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
inline Ints load_unsigned(const std::byte* p) {
    return _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
inline Floats spread(float value) {
    return _mm512_set1_ps(value);
}
inline Ints spread(std::int32_t value) {
    return _mm512_set1_epi32(value);
}
inline Bytes spread_dword(const void* p) {
    std::int32_t value;
    std::memcpy(&value, p, sizeof value);
    return spread(value);
}
inline Bytes spread_byte(int value) {
    return _mm512_set1_epi8(static_cast<char>(value));
}
inline void fetch(const void* p) {
    _mm_prefetch(static_cast<const char*>(p), _MM_HINT_T0);
}
inline void fetch_far(const void* p) {
    _mm_prefetch(static_cast<const char*>(p), _MM_HINT_T1);
}
// The row after next, into L2: a tenth faster than into L1.
inline void fetch_row(const void* p) {
    fetch_far(p);
}

// ---- arithmetic --------------------------------------------------------------------------------

inline Floats add(Floats a, Floats b) {
    return _mm512_add_ps(a, b);
}
inline Floats mul(Floats a, Floats b) {
    return _mm512_mul_ps(a, b);
}
// a * b + c
inline Floats fma(Floats a, Floats b, Floats c) {
    return _mm512_fmadd_ps(a, b, c);
}
inline Floats to_floats(Ints v) {
    return _mm512_cvtepi32_ps(v);
}
inline float sum_lanes(Floats v) {
    return _mm512_reduce_add_ps(v);
}
inline Ints add(Ints a, Ints b) {
    return _mm512_add_epi32(a, b);
}
inline Ints sub(Ints a, Ints b) {
    return _mm512_sub_epi32(a, b);
}
inline Ints mul(Ints a, Ints b) {
    return _mm512_mullo_epi32(a, b);
}
template <int n>
inline Ints shift_left(Ints v) {
    return n == 0 ? v : _mm512_slli_epi32(v, n);
}
// Byte n of each lane.
inline Ints byte_of(Bytes v, int n) {
    const __m512i down = n == 0 ? v : _mm512_srli_epi32(v, static_cast<unsigned>(8 * n));
    return n == 3 ? down : _mm512_and_si512(down, _mm512_set1_epi32(255));
}
// `width` bits of each lane from bit n on.
inline Ints bits_of(Ints v, int n, int width) {
    return _mm512_and_si512(_mm512_srl_epi32(v, _mm_cvtsi32_si128(n)),
                            _mm512_set1_epi32((1 << width) - 1));
}
// As power_of(), but 0 becomes 0.
inline Floats power_floats(Ints exponents) {
    return mul(_mm512_castsi512_ps(_mm512_slli_epi32(exponents, 23)), spread(0.5F));
}

inline Bytes sub_bytes(Bytes a, Bytes b) {
    return _mm512_sub_epi8(a, b);
}

// ---- codes -------------------------------------------------------------------------------------

inline Bytes low_nibbles(Bytes v) {
    return _mm512_and_si512(v, _mm512_set1_epi8(15));
}
inline Bytes high_nibbles(Bytes v) {
    return low_nibbles(_mm512_srli_epi16(v, 4));
}
// nibbles with `width` bits of h, from bit `from` of each byte on, as their next higher bits.
inline Bytes with_high_bits(Bytes nibbles, Bytes h, int from, int width) {
    const __m512i at_4 = from <= 4 ? _mm512_slli_epi16(h, static_cast<unsigned>(4 - from))
                                   : _mm512_srli_epi16(h, static_cast<unsigned>(from - 4));
    const __m512i where = _mm512_set1_epi8(static_cast<char>(((1 << width) - 1) << 4));
    return _mm512_ternarylogic_epi32(at_4, where, nibbles, 0xEA);  // (at_4 and where) or nibbles
}
// The same in runs of 16 bytes, which share the 16 bytes at h: each takes the next `width` bits.
inline Bytes with_high_bits(Bytes nibbles, const std::byte* h, int from, int width) {
    const __m512i all =
        _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(h)));
    const __m512i run = _mm512_set_epi32(3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0);
    const __m512i shift =
        _mm512_add_epi32(_mm512_set1_epi32(from), width == 1 ? run : _mm512_slli_epi32(run, 1));
    return with_high_bits(nibbles, _mm512_srlv_epi32(all, shift), 0, width);
}
// Entries of a table of 16, plus zero.
template <int zero>
inline Bytes look_up(const std::int8_t* table, Bytes nibbles) {
    const __m128i entries = _mm_loadu_si128(reinterpret_cast<const __m128i*>(table));
    return _mm512_shuffle_epi8(
        _mm512_broadcast_i32x4(_mm_add_epi8(entries, _mm_set1_epi8(static_cast<char>(zero)))),
        nibbles);
}
// Nibble k of each lane, less the zero. A nibble is its own index into a register that holds the
// values, because vpermps reads four bits of a lane and no others.
template <int zero>
inline Floats nibble_floats(Bytes v, int k) {
    const __m512 values = _mm512_setr_ps(-zero, 1 - zero, 2 - zero, 3 - zero, 4 - zero, 5 - zero,
                                         6 - zero, 7 - zero, 8 - zero, 9 - zero, 10 - zero,
                                         11 - zero, 12 - zero, 13 - zero, 14 - zero, 15 - zero);
    return _mm512_permutexvar_ps(k == 0 ? v : _mm512_srli_epi32(v, static_cast<unsigned>(4 * k)),
                                 values);
}
// Four registers byte by byte within 16 bytes, in the order of w.
inline void interleave(Bytes (&w)[4]) {
    const __m512i low01 = _mm512_unpacklo_epi8(w[0], w[1]);
    const __m512i high01 = _mm512_unpackhi_epi8(w[0], w[1]);
    const __m512i low23 = _mm512_unpacklo_epi8(w[2], w[3]);
    const __m512i high23 = _mm512_unpackhi_epi8(w[2], w[3]);
    w[0] = _mm512_unpacklo_epi16(low01, low23);
    w[1] = _mm512_unpackhi_epi16(low01, low23);
    w[2] = _mm512_unpacklo_epi16(high01, high23);
    w[3] = _mm512_unpackhi_epi16(high01, high23);
}
// A lane is a byte of each.
inline Bytes interleave_bytes(const std::byte* a, const std::byte* b, const std::byte* c,
                              const std::byte* d) {
    const auto wide = [](const std::byte* p) { return load_unsigned(p); };
    return _mm512_or_si512(
        _mm512_or_si512(wide(a), _mm512_slli_epi32(wide(b), 8)),
        _mm512_or_si512(_mm512_slli_epi32(wide(c), 16), _mm512_slli_epi32(wide(d), 24)));
}

// ---- scales of blocks of a row -----------------------------------------------------------------

using BlockFloats = __m512;
constexpr int kScaleGroups = 4;  // whose 16 blocks' scales are made at once

inline BlockFloats spread_blocks(float value) {
    return spread(value);
}
inline BlockFloats load_blocks(const float* p, int n) {
    return load_first(p, n);
}
inline BlockFloats load_block_halves(const std::byte* p, int n) {
    return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(first_lanes(n), p));
}
// Bytes, and exponents of powers.
inline Ints load_first_unsigned(const std::byte* p, int n) {
    return _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(first_lanes(n), p));
}
inline BlockFloats load_block_bytes(const std::byte* p, int n) {
    return to_floats(load_first_unsigned(p, n));
}
inline BlockFloats load_block_powers(const std::byte* p, int n) {
    return power_floats(load_first_unsigned(p, n));
}
// Of the four blocks of a group.
inline BlockFloats group_halves_times(const std::byte* p, float a) {
    const __m128 halves = _mm_cvtph_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
    return _mm512_castps128_ps512(_mm_mul_ps(halves, _mm_set1_ps(a)));
}
inline Floats one_block(BlockFloats scales, int block) {
    return _mm512_permutexvar_ps(_mm512_set1_epi32(block), scales);
}
// Each lane's block's: of `first` in lanes 0 to 7, of the next in the others.
inline Floats of_block(BlockFloats scales, int first) {
    const __m512i next = _mm512_set_epi32(1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0);
    return _mm512_permutexvar_ps(_mm512_add_epi32(_mm512_set1_epi32(first), next), scales);
}
// Each f16 for eight blocks.
inline BlockFloats load_eighths(const std::byte* p, int n) {
    return of_block(load_block_halves(p, (n + 7) / 8), 0);
}
// A signed byte for four lanes.
inline Ints spread_quads(const std::byte* p) {
    std::int32_t four;
    std::memcpy(&four, p, sizeof four);
    const __m128i each = _mm_shuffle_epi8(
        _mm_cvtsi32_si128(four), _mm_setr_epi8(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3));
    return _mm512_cvtepi8_epi32(each);
}
inline float sum_dot(Floats sum, BlockFloats offsets) {
    return sum_lanes(sum) + sum_lanes(offsets);
}

// ---- products ----------------------------------------------------------------------------------

// Activations of a group W tokens wide, 32 columns.
template <int W>
struct Activations {
    const std::byte* at;

    Bytes values(int g, int t) const { return spread(dword(g * W + t)); }
    Floats d(int t) const { return spread(reinterpret_cast<const float*>(at)[8 * W + t]); }
    Ints offset(int t) const { return spread(dword(9 * W + t)); }

private:
    std::int32_t dword(int i) const {
        std::int32_t value;
        std::memcpy(&value, at + 4 * i, sizeof value);
        return value;
    }
};

// Codes stay unsigned, whatever their zero.
constexpr int kMostZeroLeft = 255;
inline Ints dot(Ints sum, Bytes codes, Bytes values) {
    return _mm512_dpbusd_epi32(sum, codes, values);
}

}  // namespace
}  // namespace hearth::kernels::avx512
