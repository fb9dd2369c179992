// F32, F16 and BF16 weights times float activations. A lane is a row; even and odd columns have a
// sum of their own, added at the end, so that eight chains of four cycles keep both multipliers
// busy with four tiles at one token.
#include <immintrin.h>

#include "cpu/kernels/avx512/functions.h"

namespace hearth::kernels::avx512 {
namespace {

constexpr int kPanelBytes = 384 * 1024;

struct F32Column {
    static constexpr std::size_t kBytes = 4 * kTileRows;
    static __m512 load(const std::byte* p) { return _mm512_loadu_ps(p); }
};
struct F16Column {
    static constexpr std::size_t kBytes = 2 * kTileRows;
    static __m512 load(const std::byte* p) {
        return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
    }
};
struct Bf16Column {
    static constexpr std::size_t kBytes = 2 * kTileRows;
    static __m512 load(const std::byte* p) {
        const __m512i wide =
            _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
        return _mm512_castsi512_ps(_mm512_slli_epi32(wide, 16));
    }
};

inline __mmask16 row_mask(int n_rows) {
    return n_rows >= kTileRows ? static_cast<__mmask16>(0xFFFF)
                               : static_cast<__mmask16>((1U << n_rows) - 1U);
}

// R tiles of 16 rows times N tokens: 2 R N sums.
template <class Column, int R, int N>
inline void tiles_times_tokens(const std::byte* tile, std::size_t tile_bytes, const std::byte* x,
                               std::size_t x_stride, int cols, float* y, std::size_t y_stride,
                               int n_rows) {
    __m512 sum[2][R][N];
    for (int k = 0; k < 2; ++k) {
        for (int r = 0; r < R; ++r) {
            for (int t = 0; t < N; ++t) {
                sum[k][r][t] = _mm512_setzero_ps();
            }
        }
    }
    const auto column = [&](int c, int k) {
        __m512 w[R];
        for (int r = 0; r < R; ++r) {
            w[r] = Column::load(tile + static_cast<std::size_t>(r) * tile_bytes +
                                static_cast<std::size_t>(c) * Column::kBytes);
        }
        for (int t = 0; t < N; ++t) {
            const auto* row =
                reinterpret_cast<const float*>(x + static_cast<std::size_t>(t) * x_stride);
            const __m512 value = _mm512_set1_ps(row[c]);
            for (int r = 0; r < R; ++r) {
                sum[k][r][t] = _mm512_fmadd_ps(w[r], value, sum[k][r][t]);
            }
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
    for (int r = 0; r < R; ++r) {
        const __mmask16 mask = row_mask(n_rows - r * kTileRows);
        for (int t = 0; t < N; ++t) {
            _mm512_mask_storeu_ps(y + static_cast<std::size_t>(t) * y_stride + r * kTileRows, mask,
                                  _mm512_add_ps(sum[0][r][t], sum[1][r][t]));
        }
    }
}

template <class Column>
void matmul(const Matmul& task) {
    const std::size_t tile_bytes = static_cast<std::size_t>(task.cols) * Column::kBytes;
    const int fit = kPanelBytes / (task.cols * 4 + 1);
    const int panel = fit < 8 ? 8 : fit / 8 * 8;
    for (int first_token = 0; first_token < task.n_tokens; first_token += panel) {
        const int last_token =
            task.n_tokens - first_token < panel ? task.n_tokens : first_token + panel;
        const auto run = [&]<int R, int N>(int row, int t) {
            tiles_times_tokens<Column, R, N>(
                task.w + static_cast<std::size_t>(row / kTileRows) * tile_bytes, tile_bytes,
                task.x + static_cast<std::size_t>(t) * task.x_stride, task.x_stride, task.cols,
                task.y + static_cast<std::size_t>(t) * task.y_stride + row, task.y_stride,
                task.last_row - row);
        };
        int row = task.first_row;
        if (last_token - first_token < 4) {
            for (; row + 4 * kTileRows <= task.last_row; row += 4 * kTileRows) {
                for (int t = first_token; t < last_token; ++t) {
                    run.template operator()<4, 1>(row, t);
                }
            }
        }
        for (; row < task.last_row; row += kTileRows) {
            int t = first_token;
            for (; t + 8 <= last_token; t += 8) {
                run.template operator()<1, 8>(row, t);
            }
            for (; t + 4 <= last_token; t += 4) {
                run.template operator()<1, 4>(row, t);
            }
            for (; t < last_token; ++t) {
                run.template operator()<1, 1>(row, t);
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

}  // namespace hearth::kernels::avx512
