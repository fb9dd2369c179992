// AVX-512's words for packed blocks, beside simd.h. Patterns are looked up in registers:
// vpermi2w takes 32 words from 64.
#pragma once

#include "cpu/kernels/avx512/simd.h"
#include "cpu/kernels/packed_tile.h"
#include "gguf/packed_block.h"

namespace hearth::kernels::avx512 {
namespace {

inline Ints load_ints(const std::int32_t* p) {
    return load_bytes(p);
}
inline void store_ints(std::int32_t* p, Ints v) {
    store_bytes(p, v);
}
inline Bytes both(Bytes a, Bytes b) {
    return _mm512_and_si512(a, b);
}
inline Bytes exclusive(Bytes a, Bytes b) {
    return _mm512_xor_si512(a, b);
}
// a, and of b what the mask has.
inline Bytes with_masked(Bytes a, Bytes b, Bytes mask) {
    return _mm512_ternarylogic_epi32(a, b, mask, 0xF8);
}
// Bits go to lower and to higher places within 16 bits.
template <unsigned n>
inline Bytes down_bits(Bytes v) {
    return _mm512_srli_epi16(v, n);
}
template <unsigned n>
inline Bytes up_bits(Bytes v) {
    return _mm512_slli_epi16(v, n);
}
// Codes 64 + n become 64 - n where signs have the bit.
inline Bytes change_signs(Bytes codes, Bytes signs, Bytes bits) {
    return _mm512_mask_sub_epi8(codes, _mm512_test_epi8_mask(signs, bits), _mm512_set1_epi8(-128),
                                codes);
}
// Byte i of each lane in its first two bytes, byte j in the other two.
template <int i, int j>
inline Bytes spread_pairs(Bytes v) {
    constexpr int kLane = i | i << 8 | j << 16 | j << 24;
    return _mm512_shuffle_epi8(
        v, _mm512_broadcast_i32x4(
               _mm_setr_epi32(kLane, kLane + 0x04040404, kLane + 0x08080808, kLane + 0x0C0C0C0C)));
}
// Twice a lane's level plus one, whose bit i is the highest one of byte i.
inline Ints levels(Bytes v) {
    const __m512i bits = _mm512_and_si512(v, _mm512_set1_epi8(-128));
    return _mm512_srli_epi32(
        _mm512_dpbusd_epi32(_mm512_set1_epi32(64), bits, _mm512_set1_epi32(0x08040201)), 6);
}

// ---- patterns ----------------------------------------------------------------------------------

constexpr bool kPaired = true;

// Words `number` of n tables of 64. bits: of the numbers' bits 6, 7 and on.
template <int n>
inline __m512i words_at(const std::uint16_t* table, __m512i number, const __mmask32* bits) {
    if constexpr (n == 1) {
        return _mm512_permutex2var_epi16(_mm512_load_si512(table), number,
                                         _mm512_load_si512(table + 32));
    } else {
        constexpr int kHalf = n / 2;
        constexpr int kBit = n == 2 ? 0 : n == 4 ? 1 : n == 8 ? 2 : 3;
        return _mm512_mask_blend_epi16(bits[kBit], words_at<kHalf>(table, number, bits),
                                       words_at<kHalf>(table + 64 * kHalf, number, bits));
    }
}
template <int n_bits>
inline __m512i words_of(const std::uint16_t* table, __m512i number) {
    __mmask32 bits[4];
    for (int i = 6; i < n_bits; ++i) {
        bits[i - 6] = _mm512_test_epi16_mask(number, _mm512_set1_epi16(static_cast<short>(1 << i)));
    }
    return words_at<1 << (n_bits - 6)>(table, number, bits);
}

// v's bits `from` and on become the bits from 8 on of each lane's first word, and those `apart`
// higher of its second.
template <int from, int apart, int width>
inline __m512i high_of_pairs(__m512i v) {
    constexpr int kMask = ((1 << width) - 1) << 8;
    const __m512i first = from <= 8 ? _mm512_slli_epi32(v, 8 - from) : v;
    const __m512i second = _mm512_slli_epi32(v, 24 - from - apart);
    return _mm512_or_si512(_mm512_and_si512(first, _mm512_set1_epi32(kMask)),
                           _mm512_and_si512(second, _mm512_set1_epi32(kMask << 16)));
}

// Codes of fields of two bits in each half of a byte: of its lower ones and of its upper ones.
template <bool upper>
inline __m512i eight_codes(__m512i nibbles) {
    const __m128i codes =
        upper ? _mm_setr_epi8(72, 72, 72, 72, 89, 89, 89, 89, 107, 107, 107, 107, 0, 0, 0, 0)
              : _mm_setr_epi8(72, 89, 107, 0, 72, 89, 107, 0, 72, 89, 107, 0, 72, 89, 107, 0);
    return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(codes), nibbles);
}
template <Packing packing>
inline __m512i four_codes(__m512i nibbles) {
    const __m128i codes =
        packing == Packing::Fours256
            ? _mm_setr_epi8(68, 76, 84, 92, 100, 108, 116, 126, 0, 0, 0, 0, 0, 0, 0, 0)
            : _mm_setr_epi8(65, 67, 69, 71, 73, 75, 77, 79, 0, 0, 0, 0, 0, 0, 0, 0);
    return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(codes), nibbles);
}

// The codes of run `run` of a tile's block, without their signs, in pairs.
template <Packing packing>
inline void patterns_of_run(const std::byte* block, int run, int /*v*/, Bytes (&codes)[8]) {
    constexpr int kUnit = 4 * kTileRows;
    const std::uint16_t* table = patterns_in_pairs(packing);
    const __m512i low_byte = _mm512_set1_epi16(255);
    if constexpr (packing == Packing::Fours256 || packing == Packing::Fours512) {
        constexpr int kBits = packing == Packing::Fours256 ? 8 : 9;
        const __m512i high =
            packing == Packing::Fours512
                ? load_unsigned(block + packed_part_at(packing, 2) + run * kTileRows)
                : _mm512_setzero_si512();
        const auto put = [&](__m512i number, Bytes& first, Bytes& second) {
            const __m512i words = words_of<kBits>(table, number);
            first = four_codes<packing>(low_nibbles(words));
            second = four_codes<packing>(high_nibbles(words));
        };
        const __m512i numbers[2] = {load_bytes(block + 2 * run * kUnit),
                                    load_bytes(block + (2 * run + 1) * kUnit)};
        __m512i even[2];
        __m512i odd[2];
        for (int part = 0; part < 2; ++part) {
            even[part] = _mm512_and_si512(numbers[part], low_byte);
            odd[part] = _mm512_srli_epi16(numbers[part], 8);
        }
        if constexpr (packing == Packing::Fours512) {
            even[0] = _mm512_or_si512(even[0], high_of_pairs<0, 2, 1>(high));
            odd[0] = _mm512_or_si512(odd[0], high_of_pairs<1, 2, 1>(high));
            even[1] = _mm512_or_si512(even[1], high_of_pairs<4, 2, 1>(high));
            odd[1] = _mm512_or_si512(odd[1], high_of_pairs<5, 2, 1>(high));
        }
        for (int part = 0; part < 2; ++part) {
            put(even[part], codes[4 * part], codes[4 * part + 1]);
            put(odd[part], codes[4 * part + 2], codes[4 * part + 3]);
        }
    } else {
        constexpr int kBits = packing == Packing::Eights256   ? 8
                              : packing == Packing::Eights512 ? 9
                                                              : 10;
        __m512i numbers[2];
        if constexpr (packing == Packing::Eights512) {
            numbers[0] = load_bytes(block + 2 * run * kUnit);
            numbers[1] = load_bytes(block + (2 * run + 1) * kUnit);
        } else {
            constexpr int kStep = packing == Packing::Eights256 ? 2 : 1;
            const __m512i bytes = load_bytes(block + kStep * run * kUnit);
            numbers[0] = _mm512_and_si512(bytes, low_byte);
            numbers[1] = _mm512_srli_epi16(bytes, 8);
            if constexpr (packing == Packing::Eights1024) {
                const __m512i high =
                    load_unsigned(block + packed_part_at(packing, 2) + run * kTileRows);
                numbers[0] = _mm512_or_si512(numbers[0], high_of_pairs<0, 2, 2>(high));
                numbers[1] = _mm512_or_si512(numbers[1], high_of_pairs<4, 2, 2>(high));
            }
        }
        for (int part = 0; part < 2; ++part) {
            const __m512i words = words_of<kBits>(table, numbers[part]);
            const __m512i low = low_nibbles(words);
            const __m512i high = high_nibbles(words);
            codes[4 * part] = eight_codes<false>(low);
            codes[4 * part + 1] = eight_codes<true>(low);
            codes[4 * part + 2] = eight_codes<false>(high);
            codes[4 * part + 3] = eight_codes<true>(high);
        }
    }
}

// Codes change theirs by the signs of a run's four eights of values, whose bytes in a lane are
// named.
template <int first, int second, int third, int fourth>
inline void give_signs(Bytes signs, Bytes (&codes)[8]) {
    const Bytes of_part[2] = {spread_pairs<first, second>(signs),
                              spread_pairs<third, fourth>(signs)};
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) {
        codes[i] = change_signs(codes[i], of_part[i / 4], spread(0x02010201 << 2 * (i % 4)));
    }
}

// 32 activations in the order of the codes.
inline void turn_run(const std::byte* from, std::byte* to) {
    for (int part = 0; part < 2; ++part) {
        const __m128i all = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + 16 * part));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 16 * part),
                         _mm_unpacklo_epi16(all, _mm_srli_si128(all, 8)));
    }
    std::memcpy(to + 32, from + 32, 8);
}
// Codes in the order of columns.
inline void turn_back(Bytes (&codes)[8]) {
    constexpr __mmask32 kOdd = 0xAAAAAAAAU;
    const auto low = [](Bytes a, Bytes b) {
        return _mm512_mask_blend_epi16(kOdd, a, _mm512_slli_epi32(b, 16));
    };
    const auto high = [](Bytes a, Bytes b) {
        return _mm512_mask_blend_epi16(kOdd, _mm512_srli_epi32(a, 16), b);
    };
    for (int part = 0; part < 8; part += 4) {
        const Bytes in[4] = {codes[part], codes[part + 1], codes[part + 2], codes[part + 3]};
        codes[part] = low(in[0], in[1]);
        codes[part + 1] = low(in[2], in[3]);
        codes[part + 2] = high(in[0], in[1]);
        codes[part + 3] = high(in[2], in[3]);
    }
}

}  // namespace
}  // namespace hearth::kernels::avx512
