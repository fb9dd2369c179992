// F32, F16 and BF16 weights times float activations: a lane is a row, a tile two halves of 8.
//
// A sum is cut into parts of kPartColumns columns, added up in order; within a part even and odd
// columns are summed apart, so that a tile times one token has four chains. One token and many take
// the same cuts, so a token's result does not depend on its batch.
//
// A batch passes all tokens of a panel over a tile's part. The part of the panel's activations
// stays in L2 whatever the number of columns, so weights come from memory once for 256 tokens: at
// 11008 columns 125 Gflop/s on a Zen 5 core where whole rows, of which 4 fit, gave 97. Three tokens
// x 2 halves x 2 are 12 sums + 2 weights + 1 value: 15 of 16 registers, and 5 loads for 6
// multiplications, of which a core does 2 and 2 a cycle. Converting a part to floats first was
// slower: other pipes convert F16 while these multiply.
#include <immintrin.h>

#include "cpu/kernels/avx2/functions.h"
#include "cpu/kernels/avx2/lanes.h"

namespace hearth::kernels::avx2 {
namespace {

constexpr int kPartColumns = 512;
// Times 512 columns: 126 KB of L2. Their rows often lie a power of two apart and share a fraction
// of its sets, so that panels four times as large were 5 % slower.
constexpr int kPanelTokens = 63;
constexpr int kTokens = 3;
constexpr std::size_t kAheadBytes = 8192;  // as in quantized.h

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

template <int N>
struct Sums {
    __m256 of[2][N];
};

// A part of at most kPartColumns columns of one tile times N tokens.
template <class Column, int N>
inline Sums<N> multiply_part(const std::byte* w, const float* x, std::size_t x_stride, int cols) {
    __m256 sum[2][2][N];
    for (int k = 0; k < 2; ++k) {
        for (int half = 0; half < 2; ++half) {
            for (int t = 0; t < N; ++t) {
                sum[k][half][t] = _mm256_setzero_ps();
            }
        }
    }
    const auto column = [&](int c, int k) {
        const std::byte* p = w + static_cast<std::size_t>(c) * Column::kBytes;
        const __m256 low = Column::load(p, 0);
        const __m256 high = Column::load(p, 1);
        for (int t = 0; t < N; ++t) {
            const __m256 value = _mm256_set1_ps(
                x[static_cast<std::size_t>(t) * x_stride + static_cast<std::size_t>(c)]);
            sum[k][0][t] = _mm256_fmadd_ps(low, value, sum[k][0][t]);
            sum[k][1][t] = _mm256_fmadd_ps(high, value, sum[k][1][t]);
        }
    };
    int c = 0;
    for (; c + 2 <= cols; c += 2) {
        if constexpr (N == 1) {
            const auto* next =
                reinterpret_cast<const char*>(w + static_cast<std::size_t>(c) * Column::kBytes) +
                kAheadBytes;
            for (std::size_t line = 0; line < 2 * Column::kBytes; line += 64) {
                _mm_prefetch(next + line, _MM_HINT_T0);
            }
        }
        column(c, 0);
        column(c + 1, 1);
    }
    if (c < cols) {
        column(c, 0);
    }
    Sums<N> part;
    for (int half = 0; half < 2; ++half) {
        for (int t = 0; t < N; ++t) {
            part.of[half][t] = _mm256_add_ps(sum[0][half][t], sum[1][half][t]);
        }
    }
    return part;
}

// y = part, or y += part
template <int N>
inline void put(const Sums<N>& part, bool first, float* y, std::size_t y_stride, int n_rows) {
    for (int half = 0; half < 2; ++half) {
        const __m256i mask = lane_mask(n_rows - 8 * half);
        for (int t = 0; t < N; ++t) {
            float* to = y + static_cast<std::size_t>(t) * y_stride + 8 * half;
            const __m256 v = part.of[half][t];
            _mm256_maskstore_ps(to, mask,
                                first ? v : _mm256_add_ps(_mm256_maskload_ps(to, mask), v));
        }
    }
}

// One token, in the order of memory.
template <class Column>
void multiply_one(const Matmul& task) {
    const std::size_t tile_bytes = static_cast<std::size_t>(task.cols) * Column::kBytes;
    for (int row = task.first_row; row < task.last_row; row += kTileRows) {
        const std::byte* w = task.w + static_cast<std::size_t>(row / kTileRows) * tile_bytes;
        for (int c = 0; c < task.cols; c += kPartColumns) {
            const int count = task.cols - c < kPartColumns ? task.cols - c : kPartColumns;
            put(multiply_part<Column, 1>(w + static_cast<std::size_t>(c) * Column::kBytes,
                                         reinterpret_cast<const float*>(task.x) + c, 0, count),
                c == 0, task.y + row, 0, task.last_row - row);
        }
    }
}

template <class Column>
void multiply_batch(const Matmul& task) {
    const std::size_t tile_bytes = static_cast<std::size_t>(task.cols) * Column::kBytes;
    const std::size_t x_stride = task.x_stride / sizeof(float);
    for (int first_token = 0; first_token < task.n_tokens; first_token += kPanelTokens) {
        const int last_token =
            task.n_tokens - first_token < kPanelTokens ? task.n_tokens : first_token + kPanelTokens;
        for (int c = 0; c < task.cols; c += kPartColumns) {
            const int count = task.cols - c < kPartColumns ? task.cols - c : kPartColumns;
            for (int row = task.first_row; row < task.last_row; row += kTileRows) {
                const std::byte* w = task.w +
                                     static_cast<std::size_t>(row / kTileRows) * tile_bytes +
                                     static_cast<std::size_t>(c) * Column::kBytes;
                const auto run = [&]<int N>(int t) {
                    const auto token = static_cast<std::size_t>(t);
                    put(multiply_part<Column, N>(
                            w, reinterpret_cast<const float*>(task.x) + token * x_stride + c,
                            x_stride, count),
                        c == 0, task.y + token * task.y_stride + row, task.y_stride,
                        task.last_row - row);
                };
                int t = first_token;
                for (; t + kTokens <= last_token; t += kTokens) {
                    run.template operator()<kTokens>(t);
                }
                for (; t < last_token; ++t) {
                    run.template operator()<1>(t);
                }
            }
        }
    }
}

template <class Column>
void matmul(const Matmul& task) {
    if (task.n_tokens == 1) {
        multiply_one<Column>(task);
    } else {
        multiply_batch<Column>(task);
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
