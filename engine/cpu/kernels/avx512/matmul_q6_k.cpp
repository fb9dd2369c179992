// Q6_K weights times quantised activations, with VNNI.
//
// As in Q4_0's kernel, eight vpdpbusd give the products of 16 rows with 32 columns. Here they go to
// two sums, because the scale changes after 16 columns. Stored codes are 32 too great, which adds
// 32 times the sum of 16 activations. Four more vpdpbusd with ones give that sum in every lane.
// This is cheaper than making the codes signed, and a block's 416 bytes still take longer to arrive
// than to compute. A batch goes over a tile's 256 columns, unpacked once, in groups of four tokens.
// Models have this type in the output matrix, which a prompt needs for its last token only.
#include <immintrin.h>

#include <cstring>

#include "cpu/kernels/avx512/functions.h"

namespace hearth::kernels::avx512 {
namespace {

constexpr std::size_t kAheadBytes = 8192;

inline __m512i broadcast_dword(const std::byte* p) {
    std::int32_t value;
    std::memcpy(&value, p, 4);
    return _mm512_set1_epi32(value);
}

inline __m512 broadcast_float(const std::byte* p) {
    float value;
    std::memcpy(&value, p, 4);
    return _mm512_set1_ps(value);
}

inline __mmask16 row_mask(int n_rows) {
    return n_rows >= kTileRows ? static_cast<__mmask16>(0xFFFF)
                               : static_cast<__mmask16>((1U << n_rows) - 1U);
}

// 32 columns of a tile.
struct Weights {
    __m512i code[8];
    __m512i scale[2];
};

inline __m512i load_scale(const std::byte* p) {
    return _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}

// (bits of a where `where` has ones) or b.
inline __m512i select_or(__m512i a, __m512i where, __m512i b) {
    return _mm512_ternarylogic_epi32(a, where, b, 0xEA);
}

inline void load_weights(const std::byte* sub, Weights& w) {
    const __m512i low = _mm512_set1_epi8(15);
    const __m512i high = _mm512_set1_epi8(0x30);
    const std::byte* q = sub + 2 * kTileRows;
    w.scale[0] = load_scale(sub);
    w.scale[1] = load_scale(sub + kTileRows);
    for (int k = 0; k < 2; ++k) {
        const __m512i pairs = _mm512_loadu_si512(q + (4 + k) * 64);
        const __m512i shifted[4] = {_mm512_slli_epi16(pairs, 4), _mm512_slli_epi16(pairs, 2), pairs,
                                    _mm512_srli_epi16(pairs, 2)};
        for (int m = 0; m < 4; ++m) {
            __m512i nibbles = _mm512_loadu_si512(q + m * 64);
            if (k == 1) {
                nibbles = _mm512_srli_epi16(nibbles, 4);
            }
            w.code[4 * k + m] = select_or(nibbles, low, _mm512_and_si512(shifted[m], high));
        }
    }
}

// The exact products of 32 columns: at most 2 * 16 * 63 * 127 * 128 before the 32s are taken off.
// x: token t's values of group g are dword g * width + t.
inline __m512i dot(const Weights& w, const std::byte* x, int width, int t) {
    const __m512i ones = _mm512_set1_epi8(1);
    __m512i total = _mm512_setzero_si512();
    for (int k = 0; k < 2; ++k) {
        __m512i part = _mm512_setzero_si512();
        __m512i sum = _mm512_setzero_si512();
        for (int m = 0; m < 4; ++m) {
            const __m512i values = broadcast_dword(x + ((4 * k + m) * width + t) * 4);
            part = _mm512_dpbusd_epi32(part, w.code[4 * k + m], values);
            sum = _mm512_dpbusd_epi32(sum, ones, values);
        }
        part = _mm512_sub_epi32(part, _mm512_slli_epi32(sum, 5));
        total = _mm512_add_epi32(total, _mm512_mullo_epi32(part, w.scale[k]));
    }
    return total;
}

inline __m512 load_scales(const std::byte* block) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(block)));
}

// N tokens of a group of N.
template <int N>
void tile_times_group(const std::byte* tile, int n_blocks, const std::byte* x, __m512 sum[N]) {
    for (int t = 0; t < N; ++t) {
        sum[t] = _mm512_setzero_ps();
    }
    for (int b = 0; b < n_blocks; ++b) {
        const __m512 d = load_scales(tile);
        tile += 2 * kTileRows;
        for (int s = 0; s < 8; ++s, tile += kQ6SubBlockBytes, x += activation_block_bytes(N)) {
            for (int line = 0; line < kQ6SubBlockBytes && N == 1; line += 64) {
                _mm_prefetch(reinterpret_cast<const char*>(tile) + kAheadBytes + line, _MM_HINT_T0);
            }
            Weights w;
            load_weights(tile, w);
            for (int t = 0; t < N; ++t) {
                const __m512 scale =
                    _mm512_mul_ps(d, broadcast_float(x + kBlockValues * N + 4 * t));
                sum[t] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(dot(w, x, N, t)), scale, sum[t]);
            }
        }
    }
}

template <int N>
void multiply(const Matmul& task) {
    const int n_blocks = task.cols / kSuperBlockValues;
    for (int row = task.first_row; row < task.last_row; row += kTileRows) {
        const std::byte* tile = task.w + static_cast<std::size_t>(row / kTileRows) *
                                             static_cast<std::size_t>(n_blocks) * kQ6BlockBytes;
        const __mmask16 rows = row_mask(task.last_row - row);
        for (int first = 0; first < task.n_tokens; first += N) {
            __m512 sum[N];
            tile_times_group<N>(tile, n_blocks,
                                task.x + static_cast<std::size_t>(first / N) * task.x_stride, sum);
            for (int t = 0; t < N && first + t < task.n_tokens; ++t) {
                _mm512_mask_storeu_ps(
                    task.y + static_cast<std::size_t>(first + t) * task.y_stride + row, rows,
                    sum[t]);
            }
        }
    }
}

}  // namespace

void matmul_q6_k(const Matmul& task) {
    if (task.n_tokens == 1) {
        multiply<1>(task);
    } else {
        multiply<kTokenGroup>(task);
    }
}

}  // namespace hearth::kernels::avx512
