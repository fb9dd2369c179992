// Q4_0 and Q8_0 weights times quantised activations with the dot product instruction: sdot
// multiplies signed by signed bytes and adds four products to each of four 32-bit lanes. A tile's
// 16 rows are four quarters of four lanes, and the activations come from a lane of a register that
// holds four groups of them: no broadcast.
//
// For each block, quarter and token 8 sdot give four exact int32 dot products; a conversion, a
// multiplication and a fused multiply-add scale them. One token takes a whole tile, in the order of
// its memory: a core of two vector pipes reads 544 bytes of Q8_0 in the 38 cycles of 32 sdot + 12
// to scale + 32 to make signed, so it waits for memory. Four tokens take half a tile, so that all
// stays in registers: 8 sums + 8 weights + 8 activations + 4 offsets + 1 scale + 2 temporaries = 31
// of 32.
#include <arm_neon.h>

#include "cpu/kernels/neon/functions.h"
#include "cpu/kernels/neon/lanes.h"

namespace hearth::kernels::neon {
namespace {

// A panel of activations should stay in the core's own L2 (256 KB on the smaller ones that have the
// instruction) while all row tiles pass over it.
constexpr int kPanelBytes = 192 * 1024;

// load() takes a quarter's 4 rows x 32 columns; q + 64 g is group g of all rows.
struct Q4Block {
    static constexpr int kBytes = kTileRows * 18;
    static void load(const std::uint8_t* q, int8x16_t w[8]) {
        for (int g = 0; g < 4; ++g) {
            const uint8x16_t both = vld1q_u8(q + g * 64);
            w[g] = vreinterpretq_s8_u8(vandq_u8(both, vdupq_n_u8(15)));
            w[g + 4] = vreinterpretq_s8_u8(vshrq_n_u8(both, 4));
        }
    }
    // Nibbles of 0 to 15 are signed bytes as they stand: taking the 8s off costs nothing here.
    static int32x4_t start(std::int32_t offset) { return vdupq_n_s32(offset); }
};

struct Q8Block {
    static constexpr int kBytes = kTileRows * 34;
    static void load(const std::uint8_t* q, int8x16_t w[8]) {
        for (int g = 0; g < 8; ++g) {
            w[g] = vreinterpretq_s8_u8(veorq_u8(vld1q_u8(q + g * 64), vdupq_n_u8(0x80)));
        }
    }
    static int32x4_t start(std::int32_t /*offset*/) { return vdupq_n_s32(0); }
};

// A block's 32 activations of N tokens with a quarter's weights: a register holds one column group
// of four tokens, or four column groups of one.
template <int N>
inline void dot(int32x4_t sum[N], const int8x16_t w[8], const std::int8_t* x) {
    if constexpr (N == 1) {
        for (int half = 0; half < 2; ++half) {
            const int8x16_t values = vld1q_s8(x + 16 * half);
            sum[0] = vdotq_laneq_s32(sum[0], w[4 * half], values, 0);
            sum[0] = vdotq_laneq_s32(sum[0], w[4 * half + 1], values, 1);
            sum[0] = vdotq_laneq_s32(sum[0], w[4 * half + 2], values, 2);
            sum[0] = vdotq_laneq_s32(sum[0], w[4 * half + 3], values, 3);
        }
    } else {
        for (int g = 0; g < 8; ++g) {
            const int8x16_t values = vld1q_s8(x + 16 * g);
            sum[0] = vdotq_laneq_s32(sum[0], w[g], values, 0);
            sum[1] = vdotq_laneq_s32(sum[1], w[g], values, 1);
            sum[2] = vdotq_laneq_s32(sum[2], w[g], values, 2);
            sum[3] = vdotq_laneq_s32(sum[3], w[g], values, 3);
        }
    }
}

// Q quarters of a tile, from `first` on, times N tokens; y and n_rows count from the first's rows.
template <class Block, int Q, int N>
inline void quarters_times_tokens(const std::byte* tile, int first, const std::byte* x,
                                  int n_tokens, int cols, float* y, std::size_t y_stride,
                                  int n_rows) {
    const int n_blocks = cols / kBlockValues;
    float32x4_t sum[Q][N];
    for (int quarter = 0; quarter < Q; ++quarter) {
        for (int t = 0; t < N; ++t) {
            sum[quarter][t] = vdupq_n_f32(0);
        }
    }
    for (int b = 0; b < n_blocks; ++b, x += activation_block_bytes(N)) {
        const std::byte* block = tile + static_cast<std::size_t>(b) * Block::kBytes;
        const auto* scales = reinterpret_cast<const std::uint16_t*>(block) + 4 * first;
        const auto* weights =
            reinterpret_cast<const std::uint8_t*>(block + 2 * kTileRows) + 16 * first;
        for (int quarter = 0; quarter < Q; ++quarter) {
            const float32x4_t scale =
                vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(scales + 4 * quarter)));
            int8x16_t w[8];
            Block::load(weights + 16 * quarter, w);
            const auto* q = reinterpret_cast<const std::int8_t*>(x);
            const auto* d = reinterpret_cast<const float*>(x + kBlockValues * N);
            const auto* offset = reinterpret_cast<const std::int32_t*>(d + N);
            int32x4_t products[N];
            for (int t = 0; t < N; ++t) {
                products[t] = Block::start(offset[t]);
            }
            dot<N>(products, w, q);
            for (int t = 0; t < N; ++t) {
                sum[quarter][t] = vfmaq_f32(sum[quarter][t], vcvtq_f32_s32(products[t]),
                                            vmulq_n_f32(scale, d[t]));
            }
        }
    }
    for (int quarter = 0; quarter < Q; ++quarter) {
        for (int t = 0; t < N && t < n_tokens; ++t) {
            store_lanes(y + static_cast<std::size_t>(t) * y_stride + 4 * quarter, sum[quarter][t],
                        n_rows - 4 * quarter);
        }
    }
}

template <class Block>
void matmul(const Matmul& task) {
    const std::size_t tile_bytes =
        static_cast<std::size_t>(task.cols / kBlockValues) * Block::kBytes;
    const int fit = kPanelBytes / static_cast<int>(activation_group_bytes(task.cols, 1) + 1);
    const int panel = fit < 4 ? 4 : fit / 4 * 4;
    for (int first_token = 0; first_token < task.n_tokens; first_token += panel) {
        const int last_token =
            task.n_tokens - first_token < panel ? task.n_tokens : first_token + panel;
        for (int row = task.first_row; row < task.last_row; row += kTileRows) {
            const std::byte* tile = task.w + static_cast<std::size_t>(row / kTileRows) * tile_bytes;
            const auto run = [&]<int Q, int N>(int first, int t) {
                if (row + 4 * first < task.last_row) {
                    quarters_times_tokens<Block, Q, N>(
                        tile, first, task.x + static_cast<std::size_t>(t / N) * task.x_stride,
                        last_token - t, task.cols,
                        task.y + static_cast<std::size_t>(t) * task.y_stride + row + 4 * first,
                        task.y_stride, task.last_row - row - 4 * first);
                }
            };
            if (task.n_tokens == 1) {
                run.template operator()<4, 1>(0, 0);
                continue;
            }
            for (int t = first_token; t < last_token; t += kTokenGroup) {
                run.template operator()<2, kTokenGroup>(0, t);
                run.template operator()<2, kTokenGroup>(2, t);
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

}  // namespace hearth::kernels::neon
