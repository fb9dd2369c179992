#include <arm_neon.h>

#include "cpu/kernels/neon/functions.h"
#include "cpu/kernels/neon/lanes.h"

namespace hearth::kernels::neon {
namespace {

// function(i, left): lanes from i on, of which `left` may be fewer than 4.
template <class Function>
inline void for_lanes(int n, Function&& function) {
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        function(i, 4);
    }
    if (i < n) {
        function(i, n - i);
    }
}

inline float32x4_t keep(uint32x4_t mask, float32x4_t v) {
    return vreinterpretq_f32_u32(vandq_u32(mask, vreinterpretq_u32_f32(v)));
}

}  // namespace

void quantize_blocks(const float* x, std::byte* blocks, int width, int token, int n_blocks) {
    for (int b = 0; b < n_blocks; ++b, blocks += activation_block_bytes(width)) {
        float32x4_t v[8];
        float32x4_t most = vdupq_n_f32(0);
        for (int j = 0; j < 8; ++j) {
            v[j] = vld1q_f32(x + b * kBlockValues + 4 * j);
            // Compared and selected, since fmax and fmaxnm both let a signalling NaN through.
            const float32x4_t size = vabsq_f32(v[j]);
            most = vbslq_f32(vcgtq_f32(size, most), size, most);
        }
        const float largest = vmaxvq_f32(most);
        const float factor = largest > 0 ? 127.0F / largest : 0.0F;
        int32x4_t whole[8];
        int32x4_t sum = vdupq_n_s32(0);
        for (int j = 0; j < 8; ++j) {
            const float32x4_t scaled = vrndnq_f32(vmulq_n_f32(v[j], factor));
            // What is no number, or beside an infinity, becomes 0.
            const uint32x4_t fine = vcleq_f32(vabsq_f32(scaled), vdupq_n_f32(127.0F));
            whole[j] = vcvtq_s32_f32(keep(fine, scaled));
            sum = vaddq_s32(sum, whole[j]);
        }
        auto* place = reinterpret_cast<std::int32_t*>(blocks) + token;
        for (int j = 0; j < 8; j += 4) {
            const int16x8_t low = vcombine_s16(vmovn_s32(whole[j]), vmovn_s32(whole[j + 1]));
            const int16x8_t high = vcombine_s16(vmovn_s32(whole[j + 2]), vmovn_s32(whole[j + 3]));
            std::int32_t groups[4];
            vst1q_s32(groups, vreinterpretq_s32_s8(vcombine_s8(vmovn_s16(low), vmovn_s16(high))));
            for (int g = 0; g < 4; ++g) {
                place[(j + g) * width] = groups[g];
            }
        }
        reinterpret_cast<float*>(place)[8 * width] = largest / 127.0F;
        place[9 * width] = -8 * vaddvq_s32(sum);
    }
}

void to_half(const float* x, std::uint16_t* y, int n) {
    for_lanes(n, [&](int i, int left) {
        const uint16x4_t half = vreinterpret_u16_f16(vcvt_f16_f32(load_lanes(x + i, left)));
        if (left >= 4) {
            vst1_u16(y + i, half);
            return;
        }
        std::uint16_t lanes[4];
        vst1_u16(lanes, half);
        for (int j = 0; j < left; ++j) {
            y[i + j] = lanes[j];
        }
    });
}

void rms_norm(const float* x, const float* weight, float eps, float* y, int n) {
    float32x4_t squares = vdupq_n_f32(0);
    for_lanes(n, [&](int i, int left) {
        const float32x4_t v = load_lanes(x + i, left);
        squares = vfmaq_f32(squares, v, v);
    });
    const float mean = vaddvq_f32(squares) / static_cast<float>(n);
    const float root = vgetq_lane_f32(vsqrtq_f32(vdupq_n_f32(mean + eps)), 0);
    const float scale = 1.0F / root;
    for_lanes(n, [&](int i, int left) {
        const float32x4_t v = vmulq_n_f32(load_lanes(x + i, left), scale);
        store_lanes(y + i, vmulq_f32(v, load_lanes(weight + i, left)), left);
    });
}

void add_vector(const float* x, float* y, int n) {
    for_lanes(n, [&](int i, int left) {
        store_lanes(y + i, vaddq_f32(load_lanes(x + i, left), load_lanes(y + i, left)), left);
    });
}

void silu_mul(const float* gate, const float* up, float* y, int n) {
    for_lanes(n, [&](int i, int left) {
        const float32x4_t g = load_lanes(gate + i, left);
        const float32x4_t divisor = vaddq_f32(vdupq_n_f32(1.0F), exp_lanes(vnegq_f32(g)));
        store_lanes(y + i, vmulq_f32(vdivq_f32(g, divisor), load_lanes(up + i, left)), left);
    });
}

// 0.5 x (1 + tanh(u)) is x / (1 + e^(-2 u)); u = sqrt(2 / pi) (x + 0.044715 x^3).
void gelu_mul(const float* gate, const float* up, float* y, int n) {
    for_lanes(n, [&](int i, int left) {
        const float32x4_t x = load_lanes(gate + i, left);
        const float32x4_t slope =
            vfmaq_f32(vdupq_n_f32(-1.59576912F), vmulq_f32(x, x), vdupq_n_f32(-0.0713548163F));
        const float32x4_t divisor = vaddq_f32(vdupq_n_f32(1.0F), exp_lanes(vmulq_f32(x, slope)));
        store_lanes(y + i, vmulq_f32(vdivq_f32(x, divisor), load_lanes(up + i, left)), left);
    });
}

void relu_mul(const float* gate, const float* up, float* y, int n) {
    for_lanes(n, [&](int i, int left) {
        const float32x4_t g = load_lanes(gate + i, left);
        const float32x4_t product = vmulq_f32(g, load_lanes(up + i, left));
        store_lanes(y + i, keep(vcgtzq_f32(g), product), left);
    });
}

void drelu_mul(const float* gate, const float* up, float* y, int n) {
    for_lanes(n, [&](int i, int left) {
        const float32x4_t g = load_lanes(gate + i, left);
        const float32x4_t u = load_lanes(up + i, left);
        const uint32x4_t fires = vandq_u32(vcgtzq_f32(g), vcgtzq_f32(u));
        store_lanes(y + i, keep(fires, vmulq_f32(g, u)), left);
    });
}

}  // namespace hearth::kernels::neon
