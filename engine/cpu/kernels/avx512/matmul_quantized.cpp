// Q4_0 and Q8_0 weights times quantised activations, with VNNI.
//
// One packed block is 16 rows x 32 columns: eight registers of 16 lanes x 4 columns, so eight
// vpdpbusd with a broadcast dword of activations give 16 exact int32 dot products. Scaling them
// costs one conversion, one multiplication and one fused multiply-add: 8 of 10 instructions on the
// two multiplier ports do the work the limit is computed from. Registers at 16 tokens: 8 weights +
// 1 scale + 16 sums + 3 temporaries = 28 of 32.
#include <immintrin.h>

#include <cstring>

#include "cpu/kernels/avx512/functions.h"

namespace hearth::kernels::avx512 {
namespace {

// A panel of activations should stay in the core's own L2 (1 MB here, 512 KB on smaller ones) while
// all row tiles pass over it, and a tile's part in L1 while the panel's tokens pass over that: 2048
// columns are 18 KB (Q4_0) or 34 KB (Q8_0) of weights, and of 128 tokens 320 KB. Sums wait in y
// between parts: a float stored and loaded is the same float, so the parts change no result.
constexpr int kPartBlocks = 2048 / kBlockValues;
constexpr int kPanelTokens = 128;

struct Q4Block {
    static constexpr int kBytes = kTileRows * 18;
    static constexpr int kOffsetShift = 0;
    static void load(const std::uint8_t* q, __m512i w[8]) {
        const __m512i low = _mm512_set1_epi8(15);
        for (int g = 0; g < 4; ++g) {
            const __m512i both = _mm512_loadu_si512(q + g * 64);
            w[g] = _mm512_and_si512(both, low);
            w[g + 4] = _mm512_and_si512(_mm512_srli_epi16(both, 4), low);
        }
    }
};

struct Q8Block {
    static constexpr int kBytes = kTileRows * 34;
    static constexpr int kOffsetShift = 4;
    static void load(const std::uint8_t* q, __m512i w[8]) {
        for (int g = 0; g < 8; ++g) {
            w[g] = _mm512_loadu_si512(q + g * 64);
        }
    }
};

inline std::int32_t load_dword(const std::int8_t* p) {
    std::int32_t value;
    std::memcpy(&value, p, 4);
    return value;
}

inline __mmask16 row_mask(int n_rows) {
    return n_rows >= kTileRows ? static_cast<__mmask16>(0xFFFF)
                               : static_cast<__mmask16>((1U << n_rows) - 1U);
}

// Blocks [first, last) of one tile of 16 rows times N tokens, added to y unless they are the first.
template <class Block, int N>
inline void tile_times_tokens(const std::byte* tile, int first, int last, const std::byte* x,
                              std::size_t x_stride, int cols, float* y, std::size_t y_stride,
                              __mmask16 mask) {
    const int n_blocks = cols / kBlockValues;
    __m512 sum[N];
    for (int t = 0; t < N; ++t) {
        sum[t] = first == 0
                     ? _mm512_setzero_ps()
                     : _mm512_maskz_loadu_ps(mask, y + static_cast<std::size_t>(t) * y_stride);
    }
    for (int b = first; b < last; ++b) {
        const std::byte* block = tile + static_cast<std::size_t>(b) * Block::kBytes;
        const __m512 scale =
            _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(block)));
        __m512i w[8];
        Block::load(reinterpret_cast<const std::uint8_t*>(block + 2 * kTileRows), w);
#pragma GCC unroll 16
        for (int t = 0; t < N; ++t) {
            const std::byte* row = x + static_cast<std::size_t>(t) * x_stride;
            const auto* q = reinterpret_cast<const std::int8_t*>(row) + b * kBlockValues;
            const auto* d = reinterpret_cast<const float*>(row + cols);
            const auto* offset = reinterpret_cast<const std::int32_t*>(d + n_blocks);
            __m512i dot = _mm512_set1_epi32(offset[b]);
            if constexpr (Block::kOffsetShift != 0) {
                dot = _mm512_slli_epi32(dot, Block::kOffsetShift);
            }
            for (int g = 0; g < 8; ++g) {
                dot = _mm512_dpbusd_epi32(dot, w[g], _mm512_set1_epi32(load_dword(q + 4 * g)));
            }
            sum[t] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(dot),
                                     _mm512_mul_ps(scale, _mm512_set1_ps(d[b])), sum[t]);
        }
    }
    for (int t = 0; t < N; ++t) {
        _mm512_mask_storeu_ps(y + static_cast<std::size_t>(t) * y_stride, mask, sum[t]);
    }
}

template <class Block>
void matmul(const Matmul& task) {
    const int n_blocks = task.cols / kBlockValues;
    const std::size_t tile_bytes = static_cast<std::size_t>(n_blocks) * Block::kBytes;
    // One token has nothing to reuse: it streams whole tiles.
    const int part = task.n_tokens == 1 ? n_blocks : kPartBlocks;
    for (int first_token = 0; first_token < task.n_tokens; first_token += kPanelTokens) {
        const int last_token =
            task.n_tokens - first_token < kPanelTokens ? task.n_tokens : first_token + kPanelTokens;
        for (int first = 0; first < n_blocks; first += part) {
            const int last = n_blocks - first < part ? n_blocks : first + part;
            for (int row = task.first_row; row < task.last_row; row += kTileRows) {
                const std::byte* tile =
                    task.w + static_cast<std::size_t>(row / kTileRows) * tile_bytes;
                const __mmask16 mask = row_mask(task.last_row - row);
                int t = first_token;
                const auto step = [&]<int N>() {
                    for (; t + N <= last_token; t += N) {
                        tile_times_tokens<Block, N>(
                            tile, first, last, task.x + static_cast<std::size_t>(t) * task.x_stride,
                            task.x_stride, task.cols,
                            task.y + static_cast<std::size_t>(t) * task.y_stride + row,
                            task.y_stride, mask);
                    }
                };
                step.template operator()<16>();
                step.template operator()<8>();
                step.template operator()<4>();
                step.template operator()<2>();
                step.template operator()<1>();
            }
        }
    }
}

}  // namespace

void matmul_q8_0(const Matmul& task) {
    matmul<Q8Block>(task);
}
void matmul_q4_0(const Matmul& task) {
    matmul<Q4Block>(task);
}

}  // namespace hearth::kernels::avx512
