// The vocabulary of AVX2: 8 lanes. AVX-VNNI shares it. Unnamed, because an inline function that
// folders share might be linked in a form that the processor lacks.
#pragma once

#include <immintrin.h>

#include <cstring>

#include "cpu/kernels/kernels.h"

namespace hearth::kernels::avx2 {
namespace {

using Floats = __m256;
using Ints = __m256i;   // 32 bits each
using Bytes = __m256i;  // four a lane
constexpr int kLanes = 8;

// ---- memory ------------------------------------------------------------------------------------

// All ones in lanes below n.
inline __m256i first_lanes(int n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
inline Floats load(const float* p) {
    return _mm256_loadu_ps(p);
}
inline void store(float* p, Floats v) {
    _mm256_storeu_ps(p, v);
}
// Lanes below n; the others are 0.
inline Floats load_first(const float* p, int n) {
    return n >= kLanes ? load(p) : _mm256_maskload_ps(p, first_lanes(n));
}
inline void store_first(float* p, Floats v, int n) {
    if (n >= kLanes) {
        store(p, v);
    } else {
        _mm256_maskstore_ps(p, first_lanes(n), v);
    }
}
inline __m128i load_16(const std::byte* p) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
}
inline __m128i load_8(const std::byte* p) {
    return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
}
inline __m128i load_4(const std::byte* p) {
    std::int32_t value;
    std::memcpy(&value, p, sizeof value);
    return _mm_cvtsi32_si128(value);
}
inline Floats load_halves(const std::byte* p) {
    return _mm256_cvtph_ps(load_16(p));
}
inline Floats load_bfloats(const std::byte* p) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(load_16(p)), 16));
}
inline Bytes load_bytes(const void* p) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(p));
}
inline void store_bytes(void* p, Bytes v) {
    _mm256_storeu_si256(static_cast<__m256i*>(p), v);
}
// A lane a byte.
inline Ints load_signed(const std::byte* p) {
    return _mm256_cvtepi8_epi32(load_8(p));
}
inline Ints load_unsigned(const std::byte* p) {
    return _mm256_cvtepu8_epi32(load_8(p));
}
inline Floats spread(float value) {
    return _mm256_set1_ps(value);
}
inline Ints spread(std::int32_t value) {
    return _mm256_set1_epi32(value);
}
inline Bytes spread_dword(const void* p) {
    std::int32_t value;
    std::memcpy(&value, p, sizeof value);
    return spread(value);
}
inline Bytes spread_byte(int value) {
    return _mm256_set1_epi8(static_cast<char>(value));
}
inline void fetch(const void* p) {
    _mm_prefetch(static_cast<const char*>(p), _MM_HINT_T0);
}
inline void fetch_far(const void* p) {
    _mm_prefetch(static_cast<const char*>(p), _MM_HINT_T1);
}
// The row after next.
inline void fetch_row(const void* p) {
    fetch(p);
}

// ---- arithmetic --------------------------------------------------------------------------------

inline Floats add(Floats a, Floats b) {
    return _mm256_add_ps(a, b);
}
inline Floats mul(Floats a, Floats b) {
    return _mm256_mul_ps(a, b);
}
// a * b + c
inline Floats fma(Floats a, Floats b, Floats c) {
    return _mm256_fmadd_ps(a, b, c);
}
inline Floats to_floats(Ints v) {
    return _mm256_cvtepi32_ps(v);
}
inline float sum_lanes(Floats v) {
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
}
inline Ints add(Ints a, Ints b) {
    return _mm256_add_epi32(a, b);
}
inline Ints sub(Ints a, Ints b) {
    return _mm256_sub_epi32(a, b);
}
inline Ints mul(Ints a, Ints b) {
    return _mm256_mullo_epi32(a, b);
}
template <int n>
inline Ints shift_left(Ints v) {
    return n == 0 ? v : _mm256_slli_epi32(v, n);
}
// Byte n of each lane.
inline Ints byte_of(Bytes v, int n) {
    const __m256i down = n == 0 ? v : _mm256_srli_epi32(v, 8 * n);
    return n == 3 ? down : _mm256_and_si256(down, _mm256_set1_epi32(255));
}
// `width` bits of each lane from bit n on.
inline Ints bits_of(Ints v, int n, int width) {
    return _mm256_and_si256(_mm256_srl_epi32(v, _mm_cvtsi32_si128(n)),
                            _mm256_set1_epi32((1 << width) - 1));
}
// As power_of(), but 0 becomes 0.
inline Floats power_floats(Ints exponents) {
    return mul(_mm256_castsi256_ps(_mm256_slli_epi32(exponents, 23)), spread(0.5F));
}
inline Bytes sub_bytes(Bytes a, Bytes b) {
    return _mm256_sub_epi8(a, b);
}

// ---- codes -------------------------------------------------------------------------------------

inline Bytes low_nibbles(Bytes v) {
    return _mm256_and_si256(v, _mm256_set1_epi8(15));
}
inline Bytes high_nibbles(Bytes v) {
    return low_nibbles(_mm256_srli_epi16(v, 4));
}
// nibbles with `width` bits of h, from bit `from` of each byte on, as their next higher bits.
inline Bytes with_high_bits(Bytes nibbles, Bytes h, int from, int width) {
    const __m256i at_4 =
        from <= 4 ? _mm256_slli_epi16(h, 4 - from) : _mm256_srli_epi16(h, from - 4);
    const __m256i where = _mm256_set1_epi8(static_cast<char>(((1 << width) - 1) << 4));
    return _mm256_or_si256(nibbles, _mm256_and_si256(at_4, where));
}
// The same in runs of 16 bytes, which share the 16 bytes at h: each takes the next `width` bits.
inline Bytes with_high_bits(Bytes nibbles, const std::byte* h, int from, int width) {
    const __m256i all = _mm256_broadcastsi128_si256(load_16(h));
    const __m256i shift = _mm256_setr_epi32(from, from, from, from, from + width, from + width,
                                            from + width, from + width);
    return with_high_bits(nibbles, _mm256_srlv_epi32(all, shift), 0, width);
}
// Entries of a table of 16, plus zero.
template <int zero>
inline Bytes look_up(const std::int8_t* table, Bytes nibbles) {
    const __m128i entries = load_16(reinterpret_cast<const std::byte*>(table));
    return _mm256_shuffle_epi8(
        _mm256_broadcastsi128_si256(_mm_add_epi8(entries, _mm_set1_epi8(static_cast<char>(zero)))),
        nibbles);
}
// Nibble k of each lane, less the zero.
template <int zero>
inline Floats nibble_floats(Bytes v, int k) {
    const __m256i down = k == 0 ? v : _mm256_srli_epi32(v, 4 * k);
    return to_floats(sub(_mm256_and_si256(down, _mm256_set1_epi32(15)), spread(zero)));
}
// Four registers byte by byte within 16 bytes, in the order of w.
inline void interleave(Bytes (&w)[4]) {
    const __m256i low01 = _mm256_unpacklo_epi8(w[0], w[1]);
    const __m256i high01 = _mm256_unpackhi_epi8(w[0], w[1]);
    const __m256i low23 = _mm256_unpacklo_epi8(w[2], w[3]);
    const __m256i high23 = _mm256_unpackhi_epi8(w[2], w[3]);
    w[0] = _mm256_unpacklo_epi16(low01, low23);
    w[1] = _mm256_unpackhi_epi16(low01, low23);
    w[2] = _mm256_unpacklo_epi16(high01, high23);
    w[3] = _mm256_unpackhi_epi16(high01, high23);
}
// A lane is a byte of each.
inline Bytes interleave_bytes(const std::byte* a, const std::byte* b, const std::byte* c,
                              const std::byte* d) {
    const __m128i ab = _mm_unpacklo_epi8(load_8(a), load_8(b));
    const __m128i cd = _mm_unpacklo_epi8(load_8(c), load_8(d));
    return _mm256_set_m128i(_mm_unpackhi_epi16(ab, cd), _mm_unpacklo_epi16(ab, cd));
}

// ---- scales of blocks of a row -----------------------------------------------------------------

using BlockFloats = __m128;
constexpr int kScaleGroups = 1;  // whose blocks' scales are made at once

inline BlockFloats mul(BlockFloats a, BlockFloats b) {
    return _mm_mul_ps(a, b);
}
inline BlockFloats fma(BlockFloats a, BlockFloats b, BlockFloats c) {
    return _mm_fmadd_ps(a, b, c);
}
inline BlockFloats spread_blocks(float value) {
    return _mm_set1_ps(value);
}
inline BlockFloats load_blocks(const float* p, int /*n*/) {
    return _mm_loadu_ps(p);
}
inline BlockFloats load_block_halves(const std::byte* p, int /*n*/) {
    return _mm_cvtph_ps(load_8(p));
}
// Each f16 for eight blocks.
inline BlockFloats load_eighths(const std::byte* p, int /*n*/) {
    std::uint16_t half;
    std::memcpy(&half, p, sizeof half);
    return _mm_set1_ps(_cvtsh_ss(half));
}
// Of the four blocks of a group.
// Bytes, and exponents of powers.
inline BlockFloats load_block_bytes(const std::byte* p, int /*n*/) {
    return _mm_cvtepi32_ps(_mm_cvtepu8_epi32(load_4(p)));
}
inline BlockFloats load_block_powers(const std::byte* p, int /*n*/) {
    const __m128i bits = _mm_slli_epi32(_mm_cvtepu8_epi32(load_4(p)), 23);
    return mul(_mm_castsi128_ps(bits), spread_blocks(0.5F));
}
inline BlockFloats group_halves_times(const std::byte* p, float a) {
    return mul(load_block_halves(p, 4), spread_blocks(a));
}
inline Floats one_block(BlockFloats scales, int block) {
    const __m256 both = _mm256_set_m128(scales, scales);
    return block == 0   ? _mm256_permute_ps(both, 0x00)
           : block == 1 ? _mm256_permute_ps(both, 0x55)
           : block == 2 ? _mm256_permute_ps(both, 0xAA)
                        : _mm256_permute_ps(both, 0xFF);
}
// Each lane's block's.
inline Floats of_block(BlockFloats scales, int block) {
    return one_block(scales, block);
}
// A signed byte for four lanes.
inline Ints spread_quads(const std::byte* p) {
    const __m128i low = _mm_set1_epi32(static_cast<std::int8_t>(p[0]));
    const __m128i high = _mm_set1_epi32(static_cast<std::int8_t>(p[1]));
    return _mm256_set_m128i(high, low);
}
inline float sum_dot(Floats sum, BlockFloats offsets) {
    return sum_lanes(add(sum, _mm256_zextps128_ps256(offsets)));
}

// ---- products ----------------------------------------------------------------------------------

// Activations of a group W tokens wide, 32 columns.
template <int W>
struct Activations {
    const std::byte* at;

    Bytes values(int g, int t) const { return spread_dword(at + 4 * (g * W + t)); }
    Floats d(int t) const {
        return _mm256_broadcast_ss(reinterpret_cast<const float*>(at + 4 * (8 * W + t)));
    }
    Ints offset(int t) const { return spread_dword(at + 4 * (9 * W + t)); }
};

}  // namespace
}  // namespace hearth::kernels::avx2
