// Q6_K weights times quantised activations. Half a tile is a register of 8 rows x 4 columns. A code
// of at most 63 times an activation of at most 127, twice, fits the 16 bits of vpmaddubsw. Stored
// codes are 32 too great. As in avx512/, 32 times the sum of 16 activations is subtracted.
#include <immintrin.h>

#include <cstring>

#include "cpu/kernels/avx2/functions.h"

namespace hearth::kernels::avx2 {
namespace {

inline __m256i load(const std::byte* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
}
inline __m256i broadcast_dword(const std::byte* p) {
    std::int32_t value;
    std::memcpy(&value, p, 4);
    return _mm256_set1_epi32(value);
}

// 32 columns of half a tile.
struct Weights {
    __m256i code[8];
    __m256i scale[2];
};

inline void load_weights(const std::byte* sub, int half, Weights& w) {
    const __m256i low = _mm256_set1_epi8(15);
    const __m256i high = _mm256_set1_epi8(0x30);
    const std::byte* q = sub + 2 * kTileRows + 32 * half;
    for (int k = 0; k < 2; ++k) {
        w.scale[k] = _mm256_cvtepi8_epi32(
            _mm_loadl_epi64(reinterpret_cast<const __m128i*>(sub + k * kTileRows + 8 * half)));
        const __m256i pairs = load(q + (4 + k) * 64);
        const __m256i shifted[4] = {_mm256_slli_epi16(pairs, 4), _mm256_slli_epi16(pairs, 2), pairs,
                                    _mm256_srli_epi16(pairs, 2)};
        for (int m = 0; m < 4; ++m) {
            __m256i nibbles = load(q + m * 64);
            if (k == 1) {
                nibbles = _mm256_srli_epi16(nibbles, 4);
            }
            w.code[4 * k + m] =
                _mm256_or_si256(_mm256_and_si256(nibbles, low), _mm256_and_si256(shifted[m], high));
        }
    }
}

inline __m256i dot(const Weights& w, const std::byte* x, int width, int t) {
    const __m256i ones = _mm256_set1_epi8(1);
    const __m256i one_words = _mm256_set1_epi16(1);
    __m256i total = _mm256_setzero_si256();
    for (int k = 0; k < 2; ++k) {
        __m256i part = _mm256_setzero_si256();
        __m256i sum = _mm256_setzero_si256();  // words: at most 8 * 127
        for (int m = 0; m < 4; ++m) {
            const __m256i values = broadcast_dword(x + ((4 * k + m) * width + t) * 4);
            part = _mm256_add_epi32(
                part,
                _mm256_madd_epi16(_mm256_maddubs_epi16(w.code[4 * k + m], values), one_words));
            sum = _mm256_add_epi16(sum, _mm256_maddubs_epi16(ones, values));
        }
        part = _mm256_sub_epi32(part, _mm256_slli_epi32(_mm256_madd_epi16(sum, one_words), 5));
        total = _mm256_add_epi32(total, _mm256_mullo_epi32(part, w.scale[k]));
    }
    return total;
}

template <int N>
void half_tile_times_group(const std::byte* tile, int half, int n_blocks, const std::byte* x,
                           __m256 sum[N]) {
    for (int t = 0; t < N; ++t) {
        sum[t] = _mm256_setzero_ps();
    }
    for (int b = 0; b < n_blocks; ++b) {
        const __m256 d =
            _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(tile + 16 * half)));
        tile += 2 * kTileRows;
        for (int s = 0; s < 8; ++s, tile += kQ6SubBlockBytes, x += activation_block_bytes(N)) {
            Weights w;
            load_weights(tile, half, w);
            for (int t = 0; t < N; ++t) {
                const __m256 scale = _mm256_mul_ps(
                    d, _mm256_broadcast_ss(
                           reinterpret_cast<const float*>(x + kBlockValues * N + 4 * t)));
                sum[t] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(dot(w, x, N, t)), scale, sum[t]);
            }
        }
    }
}

template <int N>
void multiply(const Matmul& task) {
    const int n_blocks = task.cols / kSuperBlockValues;
    for (int row = task.first_row; row < task.last_row; row += 8) {
        const std::byte* tile = task.w + static_cast<std::size_t>(row / kTileRows) *
                                             static_cast<std::size_t>(n_blocks) * kQ6BlockBytes;
        const __m256i rows = _mm256_cmpgt_epi32(_mm256_set1_epi32(task.last_row - row),
                                                _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
        for (int first = 0; first < task.n_tokens; first += N) {
            __m256 sum[N];
            half_tile_times_group<N>(tile, row % kTileRows / 8, n_blocks,
                                     task.x + static_cast<std::size_t>(first / N) * task.x_stride,
                                     sum);
            for (int t = 0; t < N && first + t < task.n_tokens; ++t) {
                _mm256_maskstore_ps(
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

}  // namespace hearth::kernels::avx2
