// Rows of neurons (kernels/neuron_rows.h).
#include <arm_neon.h>

#include "cpu/kernels/neon/functions.h"

namespace hearth::kernels::neon {
namespace {

inline const std::uint8_t* bytes(const std::byte* p) {
    return reinterpret_cast<const std::uint8_t*>(p);
}
inline const std::uint16_t* halves(const std::byte* p) {
    return reinterpret_cast<const std::uint16_t*>(p);
}
inline float32x4_t from_half(uint16x4_t v) {
    return vcvt_f32_f16(vreinterpret_f16_u16(v));
}

struct F32Row {
    static constexpr int kBytes = 4;
    static float32x4_t load(const std::byte* p) {
        return vld1q_f32(reinterpret_cast<const float*>(p));
    }
};
struct F16Row {
    static constexpr int kBytes = 2;
    static float32x4_t load(const std::byte* p) { return from_half(vld1_u16(halves(p))); }
};
struct Bf16Row {
    static constexpr int kBytes = 2;
    static float32x4_t load(const std::byte* p) {
        return vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(halves(p)), 16));
    }
};

template <class Row>
void dot_float(const RowDot& task) {
    for (int i = 0; i < task.n; ++i) {
        const std::byte* row = task.rows + task.index[i] * task.stride;
        float32x4_t sum[4] = {vdupq_n_f32(0), vdupq_n_f32(0), vdupq_n_f32(0), vdupq_n_f32(0)};
        for (int c = 0; c < task.cols; c += 16) {
            for (int k = 0; k < 4; ++k) {
                sum[k] = vfmaq_f32(sum[k], Row::load(row + (c + 4 * k) * Row::kBytes),
                                   vld1q_f32(task.x + c + 4 * k));
            }
        }
        task.y[i] = vaddvq_f32(vaddq_f32(vaddq_f32(sum[0], sum[1]), vaddq_f32(sum[2], sum[3])));
    }
}

// 32 exact products in four sums.
inline int32x4_t products(int8x16_t w0, int8x16_t w1, const std::int8_t* q) {
    return vdotq_s32(vdotq_s32(vdupq_n_s32(0), w0, vld1q_s8(q)), w1, vld1q_s8(q + 16));
}

struct Q4Dot {
    static constexpr int kGroupBytes = kRowGroup / 2;
    static void blocks(const std::byte* w, const std::int8_t* q, int32x4_t* sums) {
        const auto low = [](uint8x16_t both) {
            return vsubq_s8(vreinterpretq_s8_u8(vandq_u8(both, vdupq_n_u8(15))), vdupq_n_s8(8));
        };
        const auto high = [](uint8x16_t both) {
            return vsubq_s8(vreinterpretq_s8_u8(vshrq_n_u8(both, 4)), vdupq_n_s8(8));
        };
        for (int half = 0; half < 2; ++half) {
            const uint8x16_t a = vld1q_u8(bytes(w) + 32 * half);
            const uint8x16_t b = vld1q_u8(bytes(w) + 32 * half + 16);
            sums[half] = products(low(a), low(b), q + 32 * half);
            sums[2 + half] = products(high(a), high(b), q + 64 + 32 * half);
        }
    }
};
struct Q8Dot {
    static constexpr int kGroupBytes = kRowGroup;
    static void blocks(const std::byte* w, const std::int8_t* q, int32x4_t* sums) {
        const auto load = [&](int i) {
            return vreinterpretq_s8_u8(veorq_u8(vld1q_u8(bytes(w) + i), vdupq_n_u8(0x80)));
        };
        for (int b = 0; b < 4; ++b) {
            sums[b] = products(load(32 * b), load(32 * b + 16), q + 32 * b);
        }
    }
};

template <class Type>
void dot_quantized(const RowDot& task) {
    const int n_groups = task.cols / kRowGroup;
    for (int i = 0; i < task.n; ++i) {
        const std::byte* row = task.rows + task.index[i] * task.stride;
        const std::byte* d = row + n_groups * Type::kGroupBytes;
        float32x4_t sum0 = vdupq_n_f32(0);
        float32x4_t sum1 = vdupq_n_f32(0);
        for (int group = 0; group < n_groups; ++group) {
            const float32x4_t scale = vmulq_f32(from_half(vld1_u16(halves(d + 8 * group))),
                                                vld1q_f32(task.d + 4 * group));
            int32x4_t sums[4];
            Type::blocks(row + group * Type::kGroupBytes, task.q + group * kRowGroup, sums);
            sum0 = vfmaq_laneq_f32(sum0, vcvtq_f32_s32(sums[0]), scale, 0);
            sum1 = vfmaq_laneq_f32(sum1, vcvtq_f32_s32(sums[1]), scale, 1);
            sum0 = vfmaq_laneq_f32(sum0, vcvtq_f32_s32(sums[2]), scale, 2);
            sum1 = vfmaq_laneq_f32(sum1, vcvtq_f32_s32(sums[3]), scale, 3);
        }
        task.y[i] = vaddvq_f32(vaddq_f32(sum0, sum1));
    }
}

template <class Row>
struct FloatAdder {
    static void add(const std::byte* row, int, int group, float a, float* y) {
        const std::byte* w = row + group * kRowGroup * Row::kBytes;
        for (int c = 0; c < kRowGroup; c += 4) {
            vst1q_f32(y + c, vfmaq_n_f32(vld1q_f32(y + c), Row::load(w + c * Row::kBytes), a));
        }
    }
};

inline void scales_times(const std::byte* d, float a, float* scale) {
    vst1q_f32(scale, vmulq_n_f32(from_half(vld1_u16(halves(d))), a));
}

struct Q8Adder {
    static void add(const std::byte* row, int cols, int group, float a, float* y) {
        float scale[4];
        scales_times(row + cols + 8 * group, a, scale);
        const std::uint8_t* w = bytes(row) + group * kRowGroup;
        for (int c = 0; c < kRowGroup; c += 8) {
            const int16x8_t value =
                vsubq_s16(vreinterpretq_s16_u16(vmovl_u8(vld1_u8(w + c))), vdupq_n_s16(128));
            const float32x4_t low = vcvtq_f32_s32(vmovl_s16(vget_low_s16(value)));
            const float32x4_t high = vcvtq_f32_s32(vmovl_s16(vget_high_s16(value)));
            vst1q_f32(y + c, vfmaq_n_f32(vld1q_f32(y + c), low, scale[c / 32]));
            vst1q_f32(y + c + 4, vfmaq_n_f32(vld1q_f32(y + c + 4), high, scale[c / 32]));
        }
    }
};

struct Q4Adder {
    static void add(const std::byte* row, int cols, int group, float a, float* y) {
        float scale[4];
        scales_times(row + cols / 2 + 8 * group, a, scale);
        for (int quarter = 0; quarter < 4; ++quarter) {
            uint32x4_t nibbles =
                vreinterpretq_u32_u8(vld1q_u8(bytes(row) + group * (kRowGroup / 2) + 16 * quarter));
            for (int k = 0; k < 8; ++k) {
                const int32x4_t stored = vreinterpretq_s32_u32(vandq_u32(nibbles, vdupq_n_u32(15)));
                const float32x4_t value = vcvtq_f32_s32(vsubq_s32(stored, vdupq_n_s32(8)));
                float* place = y + 16 * k + 4 * quarter;
                vst1q_f32(place,
                          vfmaq_n_f32(vld1q_f32(place), value, scale[2 * (k % 2) + quarter / 2]));
                nibbles = vshrq_n_u32(nibbles, 4);
            }
        }
    }
};

template <class Adder>
void add_rows(const RowAdd& task) {
    constexpr int kRowsAtOnce = 8;  // pass over a group's sums while these are in the cache
    for (int first = 0; first < task.n; first += kRowsAtOnce) {
        const int end = task.n < first + kRowsAtOnce ? task.n : first + kRowsAtOnce;
        for (int group = task.first_group; group < task.last_group; ++group) {
            for (int i = first; i < end; ++i) {
                Adder::add(task.rows + task.index[i] * task.stride, task.cols, group, task.a[i],
                           task.y + (group - task.first_group) * kRowGroup);
            }
        }
    }
}

}  // namespace

void row_dot_f32(const RowDot& task) {
    dot_float<F32Row>(task);
}
void row_add_f32(const RowAdd& task) {
    add_rows<FloatAdder<F32Row>>(task);
}
void row_dot_f16(const RowDot& task) {
    dot_float<F16Row>(task);
}
void row_add_f16(const RowAdd& task) {
    add_rows<FloatAdder<F16Row>>(task);
}
void row_dot_bf16(const RowDot& task) {
    dot_float<Bf16Row>(task);
}
void row_add_bf16(const RowAdd& task) {
    add_rows<FloatAdder<Bf16Row>>(task);
}
void row_dot_q8_0(const RowDot& task) {
    dot_quantized<Q8Dot>(task);
}
void row_add_q8_0(const RowAdd& task) {
    add_rows<Q8Adder>(task);
}
void row_dot_q4_0(const RowDot& task) {
    dot_quantized<Q4Dot>(task);
}
void row_add_q4_0(const RowAdd& task) {
    add_rows<Q4Adder>(task);
}

}  // namespace hearth::kernels::neon
