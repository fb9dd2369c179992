// F32, F16 and BF16 weights times float activations: a lane is a row, a tile four quarters of 4.
// Even and odd columns are summed apart, so that one token, which takes a whole tile, has 8 chains:
// a latency of 4 cycles times 2 pipes. Four tokens take half a tile: 16 sums + 4 weights + 8 values
// = 28 registers of 32, and 2 conversions of F16 serve 8 multiplications.
#include <arm_neon.h>

#include "cpu/kernels/neon/functions.h"
#include "cpu/kernels/neon/lanes.h"

namespace hearth::kernels::neon {
namespace {

constexpr int kPanelBytes = 192 * 1024;

struct F32Column {
    static constexpr std::size_t kBytes = 4 * kTileRows;
    static float32x4_t load(const std::byte* p, int quarter) {
        return vld1q_f32(reinterpret_cast<const float*>(p) + 4 * quarter);
    }
};
struct F16Column {
    static constexpr std::size_t kBytes = 2 * kTileRows;
    static float32x4_t load(const std::byte* p, int quarter) {
        return vcvt_f32_f16(vreinterpret_f16_u16(
            vld1_u16(reinterpret_cast<const std::uint16_t*>(p) + 4 * quarter)));
    }
};
struct Bf16Column {
    static constexpr std::size_t kBytes = 2 * kTileRows;
    static float32x4_t load(const std::byte* p, int quarter) {
        return vreinterpretq_f32_u32(
            vshll_n_u16(vld1_u16(reinterpret_cast<const std::uint16_t*>(p) + 4 * quarter), 16));
    }
};

// Adds column c of Q quarters times N tokens.
template <class Column, int Q, int N>
inline void add_column(const std::byte* quarters, const std::byte* x, std::size_t x_stride, int c,
                       float32x4_t (&sum)[Q][N]) {
    const std::byte* p = quarters + static_cast<std::size_t>(c) * Column::kBytes;
    float32x4_t w[Q];
    for (int quarter = 0; quarter < Q; ++quarter) {
        w[quarter] = Column::load(p, quarter);
    }
    for (int t = 0; t < N; ++t) {
        const auto* row =
            reinterpret_cast<const float*>(x + static_cast<std::size_t>(t) * x_stride);
        for (int quarter = 0; quarter < Q; ++quarter) {
            sum[quarter][t] = vfmaq_n_f32(sum[quarter][t], w[quarter], row[c]);
        }
    }
}

// Q quarters of a tile, from `first` on, times N tokens: 2 Q N sums. y and n_rows count from the
// first's rows.
template <class Column, int Q, int N>
inline void quarters_times_tokens(const std::byte* tile, int first, const std::byte* x,
                                  std::size_t x_stride, int cols, float* y, std::size_t y_stride,
                                  int n_rows) {
    const std::byte* quarters = tile + static_cast<std::size_t>(first) * Column::kBytes / 4;
    float32x4_t even[Q][N];
    float32x4_t odd[Q][N];
    for (int quarter = 0; quarter < Q; ++quarter) {
        for (int t = 0; t < N; ++t) {
            even[quarter][t] = vdupq_n_f32(0);
            odd[quarter][t] = vdupq_n_f32(0);
        }
    }
    int c = 0;
    for (; c + 2 <= cols; c += 2) {
        add_column<Column>(quarters, x, x_stride, c, even);
        add_column<Column>(quarters, x, x_stride, c + 1, odd);
    }
    if (c < cols) {
        add_column<Column>(quarters, x, x_stride, c, even);
    }
    for (int quarter = 0; quarter < Q; ++quarter) {
        for (int t = 0; t < N; ++t) {
            store_lanes(y + static_cast<std::size_t>(t) * y_stride + 4 * quarter,
                        vaddq_f32(even[quarter][t], odd[quarter][t]), n_rows - 4 * quarter);
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
            const std::byte* tile = task.w + static_cast<std::size_t>(row / kTileRows) * tile_bytes;
            const auto run = [&]<int Q, int N>(int first, int t) {
                if (row + 4 * first < task.last_row) {
                    quarters_times_tokens<Column, Q, N>(
                        tile, first, task.x + static_cast<std::size_t>(t) * task.x_stride,
                        task.x_stride, task.cols,
                        task.y + static_cast<std::size_t>(t) * task.y_stride + row + 4 * first,
                        task.y_stride, task.last_row - row - 4 * first);
                }
            };
            int t = first_token;
            for (; t + 4 <= last_token; t += 4) {
                run.template operator()<2, 4>(0, t);
                run.template operator()<2, 4>(2, t);
            }
            for (; t < last_token; ++t) {
                run.template operator()<4, 1>(0, t);
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

}  // namespace hearth::kernels::neon
