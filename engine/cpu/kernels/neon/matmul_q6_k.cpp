// Q6_K weights times quantised activations with the dot product instruction. A quarter of a tile, 4
// rows x 4 columns, is a register. The instruction multiplies signed bytes, so 32 is subtracted
// from the stored codes before they are multiplied.
#include <arm_neon.h>

#include "cpu/kernels/neon/functions.h"
#include "cpu/kernels/neon/lanes.h"

namespace hearth::kernels::neon {
namespace {

// 32 columns of a quarter of a tile.
struct Weights {
    int8x16_t code[8];
    int32x4_t scale[2];
};

inline void load_weights(const std::byte* sub, int quarter, Weights& w) {
    const auto* q = reinterpret_cast<const std::uint8_t*>(sub + 2 * kTileRows) + 16 * quarter;
    const uint8x16_t high = vdupq_n_u8(0x30);
    for (int k = 0; k < 2; ++k) {
        const auto* scales =
            reinterpret_cast<const std::int8_t*>(sub + k * kTileRows) + 4 * quarter;
        const std::int32_t wide[4] = {scales[0], scales[1], scales[2], scales[3]};
        w.scale[k] = vld1q_s32(wide);
        const uint8x16_t pairs = vld1q_u8(q + (4 + k) * 64);
        const uint8x16_t shifted[4] = {vshlq_n_u8(pairs, 4), vshlq_n_u8(pairs, 2), pairs,
                                       vshrq_n_u8(pairs, 2)};
        for (int m = 0; m < 4; ++m) {
            const uint8x16_t both = vld1q_u8(q + m * 64);
            const uint8x16_t nibbles =
                k == 0 ? vandq_u8(both, vdupq_n_u8(15)) : vshrq_n_u8(both, 4);
            const uint8x16_t code = vorrq_u8(nibbles, vandq_u8(shifted[m], high));
            w.code[4 * k + m] = vsubq_s8(vreinterpretq_s8_u8(code), vdupq_n_s8(32));
        }
    }
}

inline int32x4_t dot(const Weights& w, const std::byte* x, int width, int t) {
    int32x4_t total = vdupq_n_s32(0);
    for (int k = 0; k < 2; ++k) {
        int32x4_t part = vdupq_n_s32(0);
        for (int m = 0; m < 4; ++m) {
            const auto* p =
                reinterpret_cast<const std::int32_t*>(x + ((4 * k + m) * width + t) * 4);
            part = vdotq_s32(part, w.code[4 * k + m], vreinterpretq_s8_s32(vld1q_dup_s32(p)));
        }
        total = vmlaq_s32(total, part, w.scale[k]);
    }
    return total;
}

template <int N>
void quarter_times_group(const std::byte* tile, int quarter, int n_blocks, const std::byte* x,
                         float32x4_t sum[N]) {
    for (int t = 0; t < N; ++t) {
        sum[t] = vdupq_n_f32(0);
    }
    for (int b = 0; b < n_blocks; ++b) {
        const auto* scales = reinterpret_cast<const std::uint16_t*>(tile) + 4 * quarter;
        const float32x4_t d = vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(scales)));
        tile += 2 * kTileRows;
        for (int s = 0; s < 8; ++s, tile += kQ6SubBlockBytes, x += activation_block_bytes(N)) {
            Weights w;
            load_weights(tile, quarter, w);
            const auto* x_scale = reinterpret_cast<const float*>(x + kBlockValues * N);
            for (int t = 0; t < N; ++t) {
                sum[t] =
                    vfmaq_f32(sum[t], vcvtq_f32_s32(dot(w, x, N, t)), vmulq_n_f32(d, x_scale[t]));
            }
        }
    }
}

template <int N>
void multiply(const Matmul& task) {
    const int n_blocks = task.cols / kSuperBlockValues;
    for (int row = task.first_row; row < task.last_row; row += 4) {
        const std::byte* tile = task.w + static_cast<std::size_t>(row / kTileRows) *
                                             static_cast<std::size_t>(n_blocks) * kQ6BlockBytes;
        for (int first = 0; first < task.n_tokens; first += N) {
            float32x4_t sum[N];
            quarter_times_group<N>(tile, row % kTileRows / 4, n_blocks,
                                   task.x + static_cast<std::size_t>(first / N) * task.x_stride,
                                   sum);
            for (int t = 0; t < N && first + t < task.n_tokens; ++t) {
                store_lanes(task.y + static_cast<std::size_t>(first + t) * task.y_stride + row,
                            sum[t], task.last_row - row);
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

}  // namespace hearth::kernels::neon
