// F32, F16 and BF16 weights times float activations: a lane is a row, a tile two halves of 8, even
// and odd columns summed apart.
#include <immintrin.h>

#include "cpu/kernels/avx2/functions.h"

namespace hearth::kernels::avx2 {
namespace {

constexpr int kPanelBytes = 256 * 1024;

struct F32Column {
    static constexpr std::size_t kBytes = 4 * kTileRows;
    static __m256 load(const std::byte* p, int half) {
        return _mm256_loadu_ps(reinterpret_cast<const float*>(p) + 8 * half);
    }
};
struct F16Column {
    static constexpr std::size_t kBytes = 2 * kTileRows;
    static __m256 load(const std::byte* p, int half) {
        return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16 * half)));
    }
};
struct Bf16Column {
    static constexpr std::size_t kBytes = 2 * kTileRows;
    static __m256 load(const std::byte* p, int half) {
        const __m256i wide =
            _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16 * half)));
        return _mm256_castsi256_ps(_mm256_slli_epi32(wide, 16));
    }
};

inline __m256i row_mask(int n_rows) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(n_rows), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

// One tile times N tokens: 4 N sums.
template <class Column, int N>
inline void tile_times_tokens(const std::byte* tile, const std::byte* x, std::size_t x_stride,
                              int cols, float* y, std::size_t y_stride, int n_rows) {
    __m256 sum[2][2][N];
    for (int k = 0; k < 2; ++k) {
        for (int half = 0; half < 2; ++half) {
            for (int t = 0; t < N; ++t) {
                sum[k][half][t] = _mm256_setzero_ps();
            }
        }
    }
    const auto column = [&](int c, int k) {
        const std::byte* p = tile + static_cast<std::size_t>(c) * Column::kBytes;
        const __m256 low = Column::load(p, 0);
        const __m256 high = Column::load(p, 1);
        for (int t = 0; t < N; ++t) {
            const auto* row =
                reinterpret_cast<const float*>(x + static_cast<std::size_t>(t) * x_stride);
            const __m256 value = _mm256_set1_ps(row[c]);
            sum[k][0][t] = _mm256_fmadd_ps(low, value, sum[k][0][t]);
            sum[k][1][t] = _mm256_fmadd_ps(high, value, sum[k][1][t]);
        }
    };
    int c = 0;
    for (; c + 2 <= cols; c += 2) {
        column(c, 0);
        column(c + 1, 1);
    }
    if (c < cols) {
        column(c, 0);
    }
    for (int half = 0; half < 2; ++half) {
        const __m256i mask = row_mask(n_rows - 8 * half);
        for (int t = 0; t < N; ++t) {
            _mm256_maskstore_ps(y + static_cast<std::size_t>(t) * y_stride + 8 * half, mask,
                                _mm256_add_ps(sum[0][half][t], sum[1][half][t]));
        }
    }
}

template <class Column>
void matmul(const Matmul& task) {
    const std::size_t tile_bytes = static_cast<std::size_t>(task.cols) * Column::kBytes;
    const int fit = kPanelBytes / (task.cols * 4 + 1);
    const int panel = fit < 4 ? 4 : fit / 4 * 4;
    for (int first_token = 0; first_token < task.n_tokens; first_token += panel) {
        const int last_token =
            task.n_tokens - first_token < panel ? task.n_tokens : first_token + panel;
        for (int row = task.first_row; row < task.last_row; row += kTileRows) {
            const auto run = [&]<int N>(int t) {
                tile_times_tokens<Column, N>(
                    task.w + static_cast<std::size_t>(row / kTileRows) * tile_bytes,
                    task.x + static_cast<std::size_t>(t) * task.x_stride, task.x_stride, task.cols,
                    task.y + static_cast<std::size_t>(t) * task.y_stride + row, task.y_stride,
                    task.last_row - row);
            };
            int t = first_token;
            for (; t + 3 <= last_token; t += 3) {  // 12 sums + 2 weights + 1 value: 15 of 16
                run.template operator()<3>(t);
            }
            for (; t < last_token; ++t) {
                run.template operator()<1>(t);
            }
        }
    }
}

}  // namespace

void matmul_f32(const Matmul& task) {
    matmul<F32Column>(task);
}
void matmul_f16(const Matmul& task) {
    matmul<F16Column>(task);
}
void matmul_bf16(const Matmul& task) {
    matmul<Bf16Column>(task);
}

}  // namespace hearth::kernels::avx2
