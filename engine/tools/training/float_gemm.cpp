#include "tools/training/float_gemm.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "hardware/cpu_features.h"
#include "hardware/cpu_flags.h"

// Training is no part of a conversation, so it does without kernels written per instruction set:
// the compiler makes the loops below twice more, for AVX2 and AVX-512, and the processor decides
// which run. No function of these is shared with other code.
#if defined(__x86_64__) && defined(__GNUC__)
#define HEARTH_LOOPS_PER_TARGET 1
#define HEARTH_INLINE [[gnu::always_inline]] inline
#define HEARTH_TARGET(name) [[gnu::target(name)]]
#else
#define HEARTH_LOOPS_PER_TARGET 0
#define HEARTH_INLINE inline
#endif

namespace hearth::tools {
namespace {

constexpr int kRows = 4;           // of c at a time: each row of b that is read serves four
constexpr int kSteps = 4;          // of k at a time: each row of c that is read gains four products
constexpr int kTaskRows = 64;      // what one task of the pool computes
constexpr int kTaskColumns = 512;  // 4 rows of c and 4 of b: 16 KiB, which stays in L1

// c_r[j] += sum of a[r][s] * b_s[j].
HEARTH_INLINE void add_products(const float (&a)[kRows][kSteps], const float* __restrict b0,
                                const float* __restrict b1, const float* __restrict b2,
                                const float* __restrict b3, float* __restrict c0,
                                float* __restrict c1, float* __restrict c2, float* __restrict c3,
                                int n) {
    for (int j = 0; j < n; ++j) {
        c0[j] += a[0][0] * b0[j] + a[0][1] * b1[j] + a[0][2] * b2[j] + a[0][3] * b3[j];
        c1[j] += a[1][0] * b0[j] + a[1][1] * b1[j] + a[1][2] * b2[j] + a[1][3] * b3[j];
        c2[j] += a[2][0] * b0[j] + a[2][1] * b1[j] + a[2][2] * b2[j] + a[2][3] * b3[j];
        c3[j] += a[3][0] * b0[j] + a[3][1] * b1[j] + a[3][2] * b2[j] + a[3][3] * b3[j];
    }
}

HEARTH_INLINE void add_product(float a, const float* __restrict b, float* __restrict c, int n) {
    for (int j = 0; j < n; ++j) {
        c[j] += a * b[j];
    }
}

// The part [rows, columns] of g that one task computes.
HEARTH_INLINE void compute_part(const FloatGemm& g, int row, int rows, int column, int columns) {
    for (int i = row; i < row + rows; i += kRows) {
        const int some = std::min(kRows, row + rows - i);
        const float* a = g.a + static_cast<std::size_t>(i) * g.a_row_stride;
        float* c = g.c + static_cast<std::size_t>(i) * g.c_stride + column;
        if (!g.accumulate) {
            for (int r = 0; r < some; ++r) {
                std::memset(c + static_cast<std::size_t>(r) * g.c_stride, 0,
                            static_cast<std::size_t>(columns) * sizeof(float));
            }
        }
        int k = 0;
        for (; some == kRows && k + kSteps <= g.k; k += kSteps) {
            float factors[kRows][kSteps];
            for (int r = 0; r < kRows; ++r) {
                for (int s = 0; s < kSteps; ++s) {
                    factors[r][s] = a[static_cast<std::size_t>(r) * g.a_row_stride +
                                      static_cast<std::size_t>(k + s) * g.a_column_stride];
                }
            }
            const float* b = g.b + static_cast<std::size_t>(k) * g.b_stride + column;
            add_products(factors, b, b + g.b_stride, b + 2 * g.b_stride, b + 3 * g.b_stride, c,
                         c + g.c_stride, c + 2 * g.c_stride, c + 3 * g.c_stride, columns);
        }
        for (; k < g.k; ++k) {
            for (int r = 0; r < some; ++r) {
                add_product(a[static_cast<std::size_t>(r) * g.a_row_stride +
                              static_cast<std::size_t>(k) * g.a_column_stride],
                            g.b + static_cast<std::size_t>(k) * g.b_stride + column,
                            c + static_cast<std::size_t>(r) * g.c_stride, columns);
            }
        }
    }
}

// exp(-x) = 2^n * 2^f with n whole and |f| <= 1/2; 2^f by its series to f^6 (error below 2e-7).
HEARTH_INLINE void sigmoid_loop(float* values, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        const float x = std::min(std::max(values[i], -30.0F), 30.0F) * -1.44269504F;
        constexpr float kRound = 12582912.0F;  // 1.5 * 2^23: adding it rounds to a whole number
        const float shifted = x + kRound;
        const float f = (x - (shifted - kRound)) * 0.693147181F;
        float power = 1.0F / 720;
        power = power * f + 1.0F / 120;
        power = power * f + 1.0F / 24;
        power = power * f + 1.0F / 6;
        power = power * f + 0.5F;
        power = power * f + 1.0F;
        power = power * f + 1.0F;
        const std::uint32_t exponent = (std::bit_cast<std::uint32_t>(shifted) + 127U) << 23;
        values[i] = 1.0F / (1.0F + power * std::bit_cast<float>(exponent));
    }
}

HEARTH_INLINE void adam_loop(float* __restrict weights, float* __restrict first,
                             float* __restrict second, const float* __restrict gradient,
                             std::size_t count, float rate) {
    constexpr float kBeta1 = 0.9F;
    constexpr float kBeta2 = 0.999F;
    constexpr float kEpsilon = 1e-8F;
    for (std::size_t i = 0; i < count; ++i) {
        const float g = gradient[i];
        first[i] = kBeta1 * first[i] + (1 - kBeta1) * g;
        second[i] = kBeta2 * second[i] + (1 - kBeta2) * g * g;
        weights[i] -= rate * first[i] / (std::sqrt(second[i]) + kEpsilon);
    }
}

using PartFunction = void (*)(const FloatGemm&, int, int, int, int);
using SigmoidFunction = void (*)(float*, std::size_t);
using AdamFunction = void (*)(float*, float*, float*, const float*, std::size_t, float);

struct Loops {
    PartFunction part;
    SigmoidFunction sigmoid;
    AdamFunction adam;
};

void part_plain(const FloatGemm& g, int row, int rows, int column, int columns) {
    compute_part(g, row, rows, column, columns);
}
void sigmoid_plain(float* values, std::size_t count) {
    sigmoid_loop(values, count);
}
void adam_plain(float* weights, float* first, float* second, const float* gradient,
                std::size_t count, float rate) {
    adam_loop(weights, first, second, gradient, count, rate);
}

#if HEARTH_LOOPS_PER_TARGET
#define HEARTH_LOOPS(suffix, name)                                                         \
    HEARTH_TARGET(name)                                                                    \
    void part_##suffix(const FloatGemm& g, int row, int rows, int column, int columns) {   \
        compute_part(g, row, rows, column, columns);                                       \
    }                                                                                      \
    HEARTH_TARGET(name)                                                                    \
    void sigmoid_##suffix(float* values, std::size_t count) {                              \
        sigmoid_loop(values, count);                                                       \
    }                                                                                      \
    HEARTH_TARGET(name)                                                                    \
    void adam_##suffix(float* weights, float* first, float* second, const float* gradient, \
                       std::size_t count, float rate) {                                    \
        adam_loop(weights, first, second, gradient, count, rate);                          \
    }
HEARTH_LOOPS(avx2, "avx2,fma")
#ifdef __clang__  // which takes no width here, and keeps to 256 bits
HEARTH_LOOPS(avx512, "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")
#else
HEARTH_LOOPS(avx512, "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,prefer-vector-width=512")
#endif
#undef HEARTH_LOOPS
#endif

Loops choose_loops() {
#if HEARTH_LOOPS_PER_TARGET
    const std::uint32_t flags = detect_cpu_features().flags;
    if ((flags & cpu_flags::kAvx512) != 0) {
        return {part_avx512, sigmoid_avx512, adam_avx512};
    }
    if ((flags & cpu_flags::kAvx2) != 0) {
        return {part_avx2, sigmoid_avx2, adam_avx2};
    }
#endif
    return {part_plain, sigmoid_plain, adam_plain};
}

const Loops& loops() {
    static const Loops chosen = choose_loops();
    return chosen;
}

}  // namespace

void multiply(ThreadPool& pool, const FloatGemm& gemm) {
    const PartFunction part = loops().part;
    const int row_tasks = (gemm.m + kTaskRows - 1) / kTaskRows;
    const int column_tasks = (gemm.n + kTaskColumns - 1) / kTaskColumns;
    pool.run(row_tasks * column_tasks, [&](int task, int) {
        const int row = task / column_tasks * kTaskRows;
        const int column = task % column_tasks * kTaskColumns;
        part(gemm, row, std::min(kTaskRows, gemm.m - row), column,
             std::min(kTaskColumns, gemm.n - column));
    });
}

void sigmoid(float* values, std::size_t count) {
    loops().sigmoid(values, count);
}

void adam_step(float* weights, float* first_moment, float* second_moment, const float* gradient,
               std::size_t count, float rate) {
    loops().adam(weights, first_moment, second_moment, gradient, count, rate);
}

}  // namespace hearth::tools
