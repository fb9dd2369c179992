// Products of the inputs that are kept (kernels/input_columns.h). 16 columns are read side by side,
// as in avx512/.
#include <arm_neon.h>

#include <cstring>

#include "cpu/kernels/neon/functions.h"

namespace hearth::kernels::neon {
namespace {

constexpr int kQuadsAtOnce = 4;
constexpr std::size_t kPart = 16;  // bytes; four of every 16 outputs

inline uint8x16_t load_part(const std::byte* p) {
    return vld1q_u8(reinterpret_cast<const std::uint8_t*>(p));
}

inline float32x4_t load_scales(const std::byte* p) {
    std::uint16_t halves[4];
    std::memcpy(halves, p, sizeof halves);
    return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(halves)));
}

template <CodeKind codes>
void columns(const ColumnProduct& task) {
    constexpr bool kNibbles = codes == CodeKind::Bits4;
    constexpr int kLineOutputs = kNibbles ? 128 : 64;
    constexpr int kSums = kNibbles ? 8 : 4;  // of 4 outputs, 16 apart
    const std::size_t bytes = column_bytes(codes, task.width);
    const std::size_t block_bytes = column_block_bytes(codes, task.width);
    for (int b = task.first_block; b < task.last_block; ++b) {
        const std::byte* scales = task.w + static_cast<std::size_t>(b) * block_bytes;
        const std::byte* block = scales + 2 * task.width;
        const InputQuad* quads = task.quads + b * kBlockQuads;
        const float32x4_t d = vdupq_n_f32(task.d[b]);
        // Stored bytes are made signed by subtracting 128 before they are multiplied.
        int32x4_t offset = vdupq_n_s32(kNibbles ? task.offset[b] : 0);
        int n = 0;
        for (int first = 0; first < task.counts[b]; first += n) {
            // Passes take equal numbers of inputs, because each costs a look at every sum and
            // scale.
            const int left = task.counts[b] - first;
            const int n_passes = (left + kQuadsAtOnce - 1) / kQuadsAtOnce;
            n = (left + n_passes - 1) / n_passes;
            const std::byte* lines[kQuadsAtOnce][4];
            int8x16_t q[kQuadsAtOnce];
            for (int i = 0; i < n; ++i) {
                const InputQuad& quad = quads[first + i];
                std::int32_t values;
                std::memcpy(&values, quad.q, sizeof values);
                q[i] = vreinterpretq_s8_s32(vdupq_n_s32(values));
                for (int k = 0; k < 4; ++k) {
                    lines[i][k] = block + quad.input[k] * bytes;
                }
            }
            for (std::size_t at = 0; at < bytes; at += kPart) {
                int32x4_t sum[kSums];
                for (int32x4_t& one : sum) {
                    one = offset;
                }
                for (int i = 0; i < n; ++i) {
                    const uint8x16_t w0 = load_part(lines[i][0] + at);
                    const uint8x16_t w1 = load_part(lines[i][1] + at);
                    const uint8x16_t w2 = load_part(lines[i][2] + at);
                    const uint8x16_t w3 = load_part(lines[i][3] + at);
                    const uint16x8_t low01 = vreinterpretq_u16_u8(vzip1q_u8(w0, w1));
                    const uint16x8_t high01 = vreinterpretq_u16_u8(vzip2q_u8(w0, w1));
                    const uint16x8_t low23 = vreinterpretq_u16_u8(vzip1q_u8(w2, w3));
                    const uint16x8_t high23 = vreinterpretq_u16_u8(vzip2q_u8(w2, w3));
                    const uint8x16_t w[4] = {vreinterpretq_u8_u16(vzip1q_u16(low01, low23)),
                                             vreinterpretq_u8_u16(vzip2q_u16(low01, low23)),
                                             vreinterpretq_u8_u16(vzip1q_u16(high01, high23)),
                                             vreinterpretq_u8_u16(vzip2q_u16(high01, high23))};
                    for (int m = 0; m < 4; ++m) {
                        if constexpr (kNibbles) {
                            const uint8x16_t low = vandq_u8(w[m], vdupq_n_u8(15));
                            sum[m] = vdotq_s32(sum[m], vreinterpretq_s8_u8(low), q[i]);
                            sum[m + 4] = vdotq_s32(sum[m + 4],
                                                   vreinterpretq_s8_u8(vshrq_n_u8(w[m], 4)), q[i]);
                        } else {
                            const uint8x16_t value = veorq_u8(w[m], vdupq_n_u8(0x80));
                            sum[m] = vdotq_s32(sum[m], vreinterpretq_s8_u8(value), q[i]);
                        }
                    }
                }
                const std::size_t output =
                    at / kColumnLine * kLineOutputs + at % kColumnLine / kPart * 4;
                for (std::size_t m = 0; m < kSums; ++m) {
                    float* y = task.y + output + 16 * m;
                    const float32x4_t scale =
                        vmulq_f32(load_scales(scales + 2 * (output + 16 * m)), d);
                    vst1q_f32(y, vfmaq_f32(vld1q_f32(y), vcvtq_f32_s32(sum[m]), scale));
                }
            }
            offset = vdupq_n_s32(0);
        }
    }
}

}  // namespace

void columns_q8_0(const ColumnProduct& task) {
    columns<CodeKind::Bits8>(task);
}
void columns_q4_0(const ColumnProduct& task) {
    columns<CodeKind::Bits4>(task);
}

}  // namespace hearth::kernels::neon
