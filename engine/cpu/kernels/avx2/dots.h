// Dot products without VNNI: vpmaddubsw multiplies unsigned by signed bytes and adds pairs into 16
// bits.
//
// What bounds a batch is the multiplier: of a Zen 5 core's four vector pipes two multiply, whether
// bytes or floats (vpmaddubsw, vpmaddwd, vmulps and vfmadd together: 2 a cycle, measured). For 8
// rows x 1 token x 32 columns
//   Bits4  8 vpmaddubsw + 7 vpaddw + 1 vpmaddwd + 1 vpaddd + 3 to scale: 20, of which 11 multiply:
//          5.5 cycles, 6.4 measured
//   Bits8  8 x (vpxor + vpmaddubsw + vpmaddwd + vpaddd) + 3 to scale: 35, of which 18 multiply:
//          9 cycles, 10.3 measured
#pragma once

#include "cpu/kernels/avx2/simd.h"

namespace hearth::kernels::avx2 {
namespace {

// Hides a sum from the optimiser. GCC otherwise regroups eight additions into a tree, which keeps
// all their terms at once. The batch loop then runs from the stack, at a third of its speed.
inline void keep(__m256i& v) {
#ifdef __GNUC__
    __asm__("" : "+x"(v));
#else
    static_cast<void>(v);
#endif
}

// Sums of pairs to 32 bits.
inline Ints widen(__m256i pairs) {
    return _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
}

template <bool first, class First, class Second>
struct Choose {
    using Type = First;
};
template <class First, class Second>
struct Choose<false, First, Second> {
    using Type = Second;
};

// As in walks/dots.inc, kAdds to a sum.
template <int kMost, int kZero, int kAdds>
struct Dot {
    // A pair of products with codes of 8 bits could overflow 16. |code - zero| is multiplied
    // instead: a pair of those is at most 2 * 128 * 127. The sign goes to the activation.
    static constexpr bool kSigned = kMost > 127;
    static constexpr int kZeroLeft = kSigned ? 0 : kZero;
    // Whether all pairs of a sum fit 16 bits together and are widened once: 4 bits, eight times
    // 2 * 15 * 127.
    static constexpr bool kNarrow = kAdds * 2 * kMost * 127 <= 32767;

    using Code = Bytes;
    static Code ready(Bytes stored) {
        return kSigned ? sub_bytes(stored, spread_byte(kZero)) : stored;
    }

    using Sum = Ints;
    static Sum start(Ints first) { return first; }
    static void add_pairs(Sum& sum, __m256i pairs, bool first) {
        sum = !kNarrow ? _mm256_add_epi32(sum, widen(pairs))
              : first  ? pairs
                       : _mm256_add_epi16(sum, pairs);
        keep(sum);
    }
    static void add(Sum& sum, Code code, Bytes values, bool first) {
        if constexpr (kSigned) {
            add_pairs(sum,
                      _mm256_maddubs_epi16(_mm256_abs_epi8(code), _mm256_sign_epi8(values, code)),
                      first);
        } else {
            add_pairs(sum, _mm256_maddubs_epi16(code, values), first);
        }
    }
    static Ints total(Sum sum, Ints first) {
        return kNarrow ? _mm256_add_epi32(widen(sum), first) : sum;
    }

    struct UnpackedCodes {
        using Code = Bytes;
        std::uint8_t q[8][4 * kLanes];

        void put(const Bytes (&stored)[8]) {
            for (int g = 0; g < 8; ++g) {
                store_bytes(q[g], stored[g]);
            }
        }
        Code code(int g) const { return load_bytes(q[g]); }
        Ints first() const { return spread(0); }
    };
    // Where each weight serves once, vpsignb gives the activation its sign. In a batch vpxor does
    // it, because any of the four pipes runs it, while vpsignb runs on the multipliers' pipes (10.3
    // cycles against 11.6). x ^ -1 is -x - 1, so the sum lacks |w| for each negative weight. That
    // number depends on the row alone, and the sum starts from it.
    struct SizeAndSign {
        Bytes size, negative;
    };
    struct UnpackedSizes {
        using Code = SizeAndSign;
        std::uint8_t size[8][4 * kLanes];
        std::uint8_t negative[8][4 * kLanes];  // 0 or 255
        std::int32_t missing[kLanes];

        void put(const Bytes (&stored)[8]) {
            __m256i lacking = _mm256_setzero_si256();
            for (int g = 0; g < 8; ++g) {
                const Bytes w = ready(stored[g]);
                const Code code = {_mm256_abs_epi8(w),
                                   _mm256_cmpgt_epi8(_mm256_setzero_si256(), w)};
                lacking = _mm256_sub_epi16(lacking, _mm256_maddubs_epi16(code.size, code.negative));
                store_bytes(size[g], code.size);
                store_bytes(negative[g], code.negative);
            }
            store_bytes(missing, widen(lacking));
        }
        Code code(int g) const { return {load_bytes(size[g]), load_bytes(negative[g])}; }
        Ints first() const { return load_bytes(missing); }
    };
    static void add(Sum& sum, const SizeAndSign& code, Bytes values, bool first) {
        add_pairs(sum, _mm256_maddubs_epi16(code.size, _mm256_xor_si256(values, code.negative)),
                  first);
    }
    using Unpacked = typename Choose<kSigned, UnpackedSizes, UnpackedCodes>::Type;
};

// The same sums as with vpdpbusd, passes of a part of the inputs included: codes of 8 bits go
// nibble by nibble, so that pairs of products fit 16 bits.
template <int kZero>
struct SplitDot {
    static constexpr int kZeroLeft = kZero;

    using Code = Bytes;
    static Code ready(Bytes stored) { return stored; }
    using Sum = Ints;
    static Sum start(Ints first) { return first; }
    static void add(Sum& sum, Code code, Bytes values, bool /*first*/) {
        const __m256i low = _mm256_maddubs_epi16(low_nibbles(code), values);
        const __m256i high = _mm256_maddubs_epi16(high_nibbles(code), values);
        sum = _mm256_add_epi32(sum, widen(low));
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(high, _mm256_set1_epi16(16)));
    }
    static Ints total(Sum sum, Ints /*first*/) { return sum; }
};

}  // namespace
}  // namespace hearth::kernels::avx2
