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

// A block's 32 activations with a quarter's weights.
inline int32x4_t dot(int32x4_t sum, const int8x16_t w[8], const std::int8_t* x) {
    const int8x16_t low = vld1q_s8(x);
    const int8x16_t high = vld1q_s8(x + 16);
    sum = vdotq_laneq_s32(sum, w[0], low, 0);
    sum = vdotq_laneq_s32(sum, w[1], low, 1);
    sum = vdotq_laneq_s32(sum, w[2], low, 2);
    sum = vdotq_laneq_s32(sum, w[3], low, 3);
    sum = vdotq_laneq_s32(sum, w[4], high, 0);
    sum = vdotq_laneq_s32(sum, w[5], high, 1);
    sum = vdotq_laneq_s32(sum, w[6], high, 2);
    return vdotq_laneq_s32(sum, w[7], high, 3);
}

// Q quarters of a tile, from `first` on, times N tokens; y and n_rows count from the first's rows.
template <class Block, int Q, int N>
inline void quarters_times_tokens(const std::byte* tile, int first, const std::byte* x,
                                  std::size_t x_stride, int cols, float* y, std::size_t y_stride,
                                  int n_rows) {
    const int n_blocks = cols / kBlockValues;
    float32x4_t sum[Q][N];
    for (int quarter = 0; quarter < Q; ++quarter) {
        for (int t = 0; t < N; ++t) {
            sum[quarter][t] = vdupq_n_f32(0);
        }
    }
    for (int b = 0; b < n_blocks; ++b) {
        const std::byte* block = tile + static_cast<std::size_t>(b) * Block::kBytes;
        const auto* scales = reinterpret_cast<const std::uint16_t*>(block) + 4 * first;
        const auto* weights =
            reinterpret_cast<const std::uint8_t*>(block + 2 * kTileRows) + 16 * first;
        for (int quarter = 0; quarter < Q; ++quarter) {
            const float32x4_t scale =
                vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(scales + 4 * quarter)));
            int8x16_t w[8];
            Block::load(weights + 16 * quarter, w);
            for (int t = 0; t < N; ++t) {
                const std::byte* row = x + static_cast<std::size_t>(t) * x_stride;
                const auto* q = reinterpret_cast<const std::int8_t*>(row) + b * kBlockValues;
                const auto* d = reinterpret_cast<const float*>(row + cols);
                const auto* offset = reinterpret_cast<const std::int32_t*>(d + n_blocks);
                const int32x4_t products = dot(Block::start(offset[b]), w, q);
                sum[quarter][t] =
                    vfmaq_f32(sum[quarter][t], vcvtq_f32_s32(products), vmulq_n_f32(scale, d[b]));
            }
        }
    }
    for (int quarter = 0; quarter < Q; ++quarter) {
        for (int t = 0; t < N; ++t) {
            store_lanes(y + static_cast<std::size_t>(t) * y_stride + 4 * quarter, sum[quarter][t],
                        n_rows - 4 * quarter);
        }
    }
}

template <class Block>
void matmul(const Matmul& task) {
    const std::size_t tile_bytes =
        static_cast<std::size_t>(task.cols / kBlockValues) * Block::kBytes;
    const int fit = kPanelBytes / static_cast<int>(activation_row_bytes(task.cols) + 1);
    const int panel = fit < 4 ? 4 : fit / 4 * 4;
    for (int first_token = 0; first_token < task.n_tokens; first_token += panel) {
        const int last_token =
            task.n_tokens - first_token < panel ? task.n_tokens : first_token + panel;
        for (int row = task.first_row; row < task.last_row; row += kTileRows) {
            const std::byte* tile = task.w + static_cast<std::size_t>(row / kTileRows) * tile_bytes;
            const auto run = [&]<int Q, int N>(int first, int t) {
                if (row + 4 * first < task.last_row) {
                    quarters_times_tokens<Block, Q, N>(
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

void matmul_q8_0(const Matmul& task) {
    matmul<Q8Block>(task);
}
void matmul_q4_0(const Matmul& task) {
    matmul<Q4Block>(task);
}

}  // namespace hearth::kernels::neon
