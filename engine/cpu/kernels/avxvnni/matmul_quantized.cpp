// Q4_0 and Q8_0 weights times quantised activations with vpdpbusd in its VEX form, for processors
// without AVX-512: it multiplies unsigned by signed bytes and adds four products to a lane.
//
// For 8 rows x 1 token x 32 columns 8 vpdpbusd + 1 conversion + 1 multiplication + 1 fused
// multiply-add: 10 of 11 go through the two multiplying pipes, 5 cycles; 5.5 measured on Zen 5.
// Registers of a batch, 4 tokens x 2 halves: 8 sums + 2 weights + 1 value. Loads, 2 a cycle: 16
// weights + 32 values + 18 to scale for 8 such units, 4.1 cycles each. Turning the four tokens'
// values round in a register instead of broadcasting them takes half the loads and is no faster.
#include <immintrin.h>

#include "cpu/kernels/avx2/quantized.h"
#include "cpu/kernels/avxvnni/functions.h"

namespace hearth::kernels::avxvnni {
namespace {

using namespace avx2;

// sum + the products of a column group
inline __m256i add_dots(__m256i sum, __m256i weights, __m256i values) {
    return _mm256_dpbusd_avx_epi32(sum, weights, values);
}

// Format has kOffsetShift, and group() and scale() of its Weights.
template <class Format>
struct Batch : Format {
    using Weights = typename Format::Weights;

    static void multiply(const Weights& weights, const std::byte* x, int n_blocks,
                         GroupSums& sums) {
        for (int b = 0; b < n_blocks; ++b, x += activation_block_bytes(kTokenGroup)) {
            const Activations<kTokenGroup> block{x};
            __m256i dot[2][kTokenGroup];
            for (int t = 0; t < kTokenGroup; ++t) {
                dot[0][t] = _mm256_slli_epi32(block.offset(t), Format::kOffsetShift);
                dot[1][t] = dot[0][t];
            }
#pragma GCC unroll 8
            for (int g = 0; g < 8; ++g) {
                const __m256i low = Format::group(weights, b, g, 0);
                const __m256i high = Format::group(weights, b, g, 1);
#pragma GCC unroll 4
                for (int t = 0; t < kTokenGroup; ++t) {
                    const __m256i values = block.values(g, t);
                    dot[0][t] = add_dots(dot[0][t], low, values);
                    dot[1][t] = add_dots(dot[1][t], high, values);
                }
            }
#pragma GCC unroll 4
            for (int t = 0; t < kTokenGroup; ++t) {
                for (int half = 0; half < 2; ++half) {
                    sums.add(t, half, dot[half][t], Format::scale(weights, b, half), block.d(t));
                }
            }
        }
    }
};

struct Q4Format : Q4Weights {
    static constexpr int kOffsetShift = 0;

    static __m256i group(const Weights& weights, int b, int g, int half) {
        return load_bytes(weights.q[b][g][half]);
    }
    static __m256 scale(const Weights& weights, int b, int half) {
        return _mm256_load_ps(weights.scale[b][half]);
    }

    static __m256i dot(const std::byte* q, const Activations<1>& x) {
        __m256i low = x.offset(0);
        __m256i high = _mm256_setzero_si256();
        for (int g = 0; g < 4; ++g) {
            const __m256i both = load_bytes(q + 4 * kTileRows * g);
            low = add_dots(low, low_nibbles(both), x.values(g, 0));
            high = add_dots(high, high_nibbles(both), x.values(g + 4, 0));
        }
        return _mm256_add_epi32(low, high);
    }
};

// The packed bytes are what vpdpbusd takes: nothing to expand.
struct Q8Format {
    static constexpr int kBytes = kTileRows * 34;
    static constexpr int kPartBlocks = 32;  // 17 KB of L1
    static constexpr int kOffsetShift = 4;
    struct Weights {
        const std::byte* tile;
    };

    static void expand(const std::byte* tile, int /*n_blocks*/, Weights& weights) {
        weights.tile = tile;
    }
    static __m256i group(const Weights& weights, int b, int g, int half) {
        return load_bytes(packed_group(weights.tile + b * kBytes, g) + 32 * half);
    }
    static __m256 scale(const Weights& weights, int b, int half) {
        return load_scales(weights.tile + b * kBytes, half);
    }

    static __m256i dot(const std::byte* q, const Activations<1>& x) {
        __m256i even = _mm256_slli_epi32(x.offset(0), kOffsetShift);
        __m256i odd = _mm256_setzero_si256();
        for (int g = 0; g < 8; g += 2) {
            const std::byte* group = q + 4 * kTileRows * g;
            even = add_dots(even, load_bytes(group), x.values(g, 0));
            odd = add_dots(odd, load_bytes(group + 4 * kTileRows), x.values(g + 1, 0));
        }
        return _mm256_add_epi32(even, odd);
    }
};

}  // namespace

void matmul_q8_0(const Matmul& task) {
    avx2::multiply<Batch<Q8Format>>(task);
}
void matmul_q4_0(const Matmul& task) {
    avx2::multiply<Batch<Q4Format>>(task);
}

}  // namespace hearth::kernels::avxvnni
