// Q4_0 and Q8_0 weights times quantised activations without VNNI: vpmaddubsw multiplies unsigned by
// signed bytes and adds pairs into 16 bits. A tile's 16 rows are two halves of 8 lanes.
//
// What bounds a batch is the multiplier: of a Zen 5 core's four vector pipes two multiply, whether
// bytes or floats (vpmaddubsw, vpmaddwd, vmulps and vfmadd together: 2 a cycle, measured). For 8
// rows x 1 token x 32 columns
//   Q4_0  8 vpmaddubsw + 7 vpaddw + 1 vpmaddwd + 1 vpaddd + 3 to scale: 20, of which 11 multiply:
//         5.5 cycles, 6.4 measured
//   Q8_0  8 x (vpxor + vpmaddubsw + vpmaddwd + vpaddd) + 3 to scale: 35, of which 18 multiply:
//         9 cycles, 10.3 measured
// Registers of a batch, 4 tokens x 2 halves: 8 sums + 2 weights + 1 value + 1 of ones + products.
// Loads, 2 a cycle: Q4_0 takes 16 weights + 32 values + 18 to scale for 8 such units, 4.1 cycles
// each.
#include <immintrin.h>

#include "cpu/kernels/avx2/functions.h"
#include "cpu/kernels/avx2/quantized.h"

namespace hearth::kernels::avx2 {
namespace {

// Sums of pairs to 32 bits.
inline __m256i widen(__m256i pairs) {
    return _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
}

struct Q4Kernel : Q4Weights {
    // A pair is at most 2 * 15 * 127 = 3810, eight of them 30480: no 16-bit sum overflows, so the
    // widening to 32 bits is done once a block.
    static void multiply(const Weights& weights, const std::byte* x, int n_blocks,
                         GroupSums& sums) {
        for (int b = 0; b < n_blocks; ++b, x += activation_block_bytes(kTokenGroup)) {
            const Activations<kTokenGroup> block{x};
            __m256i pairs[2][kTokenGroup];
#pragma GCC unroll 8
            for (int g = 0; g < 8; ++g) {
                const __m256i low = load_bytes(weights.q[b][g][0]);
                const __m256i high = load_bytes(weights.q[b][g][1]);
#pragma GCC unroll 4
                for (int t = 0; t < kTokenGroup; ++t) {
                    const __m256i values = block.values(g, t);
                    const __m256i a = _mm256_maddubs_epi16(low, values);
                    const __m256i c = _mm256_maddubs_epi16(high, values);
                    pairs[0][t] = g == 0 ? a : _mm256_add_epi16(pairs[0][t], a);
                    pairs[1][t] = g == 0 ? c : _mm256_add_epi16(pairs[1][t], c);
                    keep(pairs[0][t]);
                    keep(pairs[1][t]);
                }
            }
#pragma GCC unroll 4
            for (int t = 0; t < kTokenGroup; ++t) {
                for (int half = 0; half < 2; ++half) {
                    sums.add(t, half, _mm256_add_epi32(widen(pairs[half][t]), block.offset(t)),
                             _mm256_load_ps(weights.scale[b][half]), block.d(t));
                }
            }
        }
    }

    static __m256i dot(const std::byte* q, const Activations<1>& x) {
        __m256i pairs = _mm256_setzero_si256();
        for (int g = 0; g < 4; ++g) {
            const __m256i both = load_bytes(q + 4 * kTileRows * g);
            pairs =
                _mm256_add_epi16(pairs, _mm256_maddubs_epi16(low_nibbles(both), x.values(g, 0)));
            pairs = _mm256_add_epi16(pairs,
                                     _mm256_maddubs_epi16(high_nibbles(both), x.values(g + 4, 0)));
        }
        return _mm256_add_epi32(widen(pairs), x.offset(0));
    }
};

// Stored bytes reach 255, so a pair of products could overflow 16 bits. The kernel multiplies |w|
// instead: a pair of those is at most 2 * 128 * 128 = 32768, which only the negative side reaches.
// The sign goes to x. Where each weight serves once, vpsignb does that. In a batch vpxor does it,
// because any of the four pipes runs it, while vpsignb runs on the multipliers' pipes (10.3 cycles
// against 11.6). x ^ -1 is -x - 1, so the sum lacks |w| for each negative weight. That number
// depends on the row alone, and the sum starts from it.
struct Q8Kernel {
    static constexpr int kBytes = kTileRows * 34;
    static constexpr int kPartBlocks = 16;  // 18 KB of L1
    struct alignas(64) Weights {
        std::uint8_t size[kPartBlocks][8][2][32];
        std::uint8_t negative[kPartBlocks][8][2][32];  // 0 or 255
        std::int32_t missing[kPartBlocks][2][8];
        float scale[kPartBlocks][2][8];
    };

    static __m256i to_signed(__m256i stored) {
        return _mm256_xor_si256(stored, _mm256_set1_epi8(-128));
    }

    static void expand(const std::byte* tile, int n_blocks, Weights& weights) {
        for (int b = 0; b < n_blocks; ++b, tile += kBytes) {
            for (int half = 0; half < 2; ++half) {
                _mm256_store_ps(weights.scale[b][half], load_scales(tile, half));
                __m256i missing = _mm256_setzero_si256();
                for (int g = 0; g < 8; ++g) {
                    const __m256i w = to_signed(load_bytes(packed_group(tile, g) + 32 * half));
                    const __m256i size = _mm256_abs_epi8(w);
                    const __m256i negative = _mm256_cmpgt_epi8(_mm256_setzero_si256(), w);
                    missing = _mm256_sub_epi16(missing, _mm256_maddubs_epi16(size, negative));
                    store_bytes(weights.size[b][g][half], size);
                    store_bytes(weights.negative[b][g][half], negative);
                }
                store_bytes(weights.missing[b][half], widen(missing));
            }
        }
    }

    static void multiply(const Weights& weights, const std::byte* x, int n_blocks,
                         GroupSums& sums) {
        for (int b = 0; b < n_blocks; ++b, x += activation_block_bytes(kTokenGroup)) {
            const Activations<kTokenGroup> block{x};
            __m256i dot[2][kTokenGroup];
#pragma GCC unroll 8
            for (int g = 0; g < 8; ++g) {
                for (int half = 0; half < 2; ++half) {
                    const __m256i size = load_bytes(weights.size[b][g][half]);
                    const __m256i negative = load_bytes(weights.negative[b][g][half]);
#pragma GCC unroll 4
                    for (int t = 0; t < kTokenGroup; ++t) {
                        const __m256i values = _mm256_xor_si256(block.values(g, t), negative);
                        dot[half][t] = _mm256_add_epi32(
                            g == 0 ? load_bytes(weights.missing[b][half]) : dot[half][t],
                            widen(_mm256_maddubs_epi16(size, values)));
                        keep(dot[half][t]);
                    }
                }
            }
#pragma GCC unroll 4
            for (int t = 0; t < kTokenGroup; ++t) {
                for (int half = 0; half < 2; ++half) {
                    sums.add(t, half, dot[half][t], _mm256_load_ps(weights.scale[b][half]),
                             block.d(t));
                }
            }
        }
    }

    static __m256i dot(const std::byte* q, const Activations<1>& x) {
        __m256i sum = _mm256_setzero_si256();
        for (int g = 0; g < 8; ++g) {
            const __m256i w = to_signed(load_bytes(q + 4 * kTileRows * g));
            sum = _mm256_add_epi32(
                sum, widen(_mm256_maddubs_epi16(_mm256_abs_epi8(w),
                                                _mm256_sign_epi8(x.values(g, 0), w))));
        }
        return sum;
    }
};

}  // namespace

void matmul_q8_0(const Matmul& task) {
    multiply<Q8Kernel>(task);
}
void matmul_q4_0(const Matmul& task) {
    multiply<Q4Kernel>(task);
}

}  // namespace hearth::kernels::avx2
