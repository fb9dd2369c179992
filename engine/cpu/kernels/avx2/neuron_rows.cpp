// Rows of neurons (kernels/neuron_rows.h). Works as avx512/neuron_rows.cpp does, in halves.
#include <immintrin.h>

#include "cpu/kernels/avx2/functions.h"
#include "cpu/kernels/avx2/lanes.h"

namespace hearth::kernels::avx2 {
namespace {

constexpr int kAhead = 2;
constexpr int kLine = 64;

inline void fetch(const std::byte* p) {
    _mm_prefetch(reinterpret_cast<const char*>(p), _MM_HINT_T0);
}
template <class Task>
inline const std::byte* row_ahead(const Task& task, int i) {
    return task.rows + task.index[i + kAhead < task.n ? i + kAhead : i] * task.stride;
}
inline __m256i load_bytes(const void* p) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(p));
}

struct F32Row {
    static constexpr int kBytes = 4;
    static __m256 load(const std::byte* p) {
        return _mm256_loadu_ps(reinterpret_cast<const float*>(p));
    }
};
struct F16Row {
    static constexpr int kBytes = 2;
    static __m256 load(const std::byte* p) {
        return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    }
};
struct Bf16Row {
    static constexpr int kBytes = 2;
    static __m256 load(const std::byte* p) {
        const __m256i wide =
            _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
        return _mm256_castsi256_ps(_mm256_slli_epi32(wide, 16));
    }
};

template <class Row>
void dot_float(const RowDot& task) {
    constexpr int kGroupBytes = kRowGroup * Row::kBytes;
    for (int i = 0; i < task.n; ++i) {
        const std::byte* row = task.rows + task.index[i] * task.stride;
        const std::byte* ahead = row_ahead(task, i);
        __m256 sum[4] = {_mm256_setzero_ps(), _mm256_setzero_ps(), _mm256_setzero_ps(),
                         _mm256_setzero_ps()};
        const float* x = task.x;
        for (int group = 0; group < task.cols / kRowGroup; ++group) {
            for (int line = 0; line < kGroupBytes; line += kLine) {
                fetch(ahead + line);
            }
            for (int k = 0; k < 16; ++k) {
                sum[k % 4] = _mm256_fmadd_ps(Row::load(row + k * 8 * Row::kBytes),
                                             _mm256_loadu_ps(x + 8 * k), sum[k % 4]);
            }
            row += kGroupBytes;
            ahead += kGroupBytes;
            x += kRowGroup;
        }
        task.y[i] =
            sum_lanes(_mm256_add_ps(_mm256_add_ps(sum[0], sum[1]), _mm256_add_ps(sum[2], sum[3])));
    }
}

// 32 exact products in eight sums of four.
inline __m256i products(__m256i unsigned_bytes, __m256i signed_bytes) {
    return _mm256_madd_epi16(_mm256_maddubs_epi16(unsigned_bytes, signed_bytes),
                             _mm256_set1_epi16(1));
}

struct Q4Dot {
    static constexpr int kGroupBytes = kRowGroup / 2;
    static constexpr bool kOffset = true;
    // Sums of the group's four blocks.
    static void blocks(const std::byte* w, const std::int8_t* q, __m256i* sums) {
        const __m256i low = _mm256_set1_epi8(15);
        for (int half = 0; half < 2; ++half) {
            const __m256i both = load_bytes(w + 32 * half);
            sums[half] = products(_mm256_and_si256(both, low), load_bytes(q + 32 * half));
            sums[2 + half] = products(_mm256_and_si256(_mm256_srli_epi16(both, 4), low),
                                      load_bytes(q + 64 + 32 * half));
        }
    }
};
struct Q8Dot {
    static constexpr int kGroupBytes = kRowGroup;
    static constexpr bool kOffset = false;
    // 255 * 127 twice would not fit 16 bits. The sign moves to the activation instead.
    static void blocks(const std::byte* w, const std::int8_t* q, __m256i* sums) {
        for (int b = 0; b < 4; ++b) {
            const __m256i value =
                _mm256_xor_si256(load_bytes(w + 32 * b), _mm256_set1_epi8(static_cast<char>(-128)));
            sums[b] =
                products(_mm256_abs_epi8(value), _mm256_sign_epi8(load_bytes(q + 32 * b), value));
        }
    }
};

inline __m128 scales_of(const std::byte* d) {
    return _mm_cvtph_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(d)));
}

template <class Type>
void dot_quantized(const RowDot& task) {
    const int n_groups = task.cols / kRowGroup;
    for (int i = 0; i < task.n; ++i) {
        const std::byte* row = task.rows + task.index[i] * task.stride;
        const std::byte* ahead = row_ahead(task, i);
        const std::byte* d = row + n_groups * Type::kGroupBytes;
        fetch(ahead + n_groups * Type::kGroupBytes);
        __m256 sum0 = _mm256_setzero_ps();
        __m256 sum1 = _mm256_setzero_ps();
        __m128 offsets = _mm_setzero_ps();
        for (int group = 0; group < n_groups; ++group) {
            for (int line = 0; line < Type::kGroupBytes; line += kLine) {
                fetch(ahead + group * Type::kGroupBytes + line);
            }
            const __m128 d_w = scales_of(d + 8 * group);
            const __m128 scale = _mm_mul_ps(d_w, _mm_loadu_ps(task.d + 4 * group));
            if constexpr (Type::kOffset) {
                offsets = _mm_fmadd_ps(d_w, _mm_loadu_ps(task.offset + 4 * group), offsets);
            }
            __m256i sums[4];
            Type::blocks(row + group * Type::kGroupBytes, task.q + group * kRowGroup, sums);
            const __m256 wide = _mm256_set_m128(scale, scale);
            sum0 =
                _mm256_fmadd_ps(_mm256_cvtepi32_ps(sums[0]), _mm256_permute_ps(wide, 0x00), sum0);
            sum1 =
                _mm256_fmadd_ps(_mm256_cvtepi32_ps(sums[1]), _mm256_permute_ps(wide, 0x55), sum1);
            sum0 =
                _mm256_fmadd_ps(_mm256_cvtepi32_ps(sums[2]), _mm256_permute_ps(wide, 0xAA), sum0);
            sum1 =
                _mm256_fmadd_ps(_mm256_cvtepi32_ps(sums[3]), _mm256_permute_ps(wide, 0xFF), sum1);
        }
        task.y[i] =
            sum_lanes(_mm256_add_ps(_mm256_add_ps(sum0, sum1), _mm256_zextps128_ps256(offsets)));
    }
}

template <class Row>
struct FloatAdder {
    static constexpr int kGroupBytes = kRowGroup * Row::kBytes;
    static void add(const std::byte* row, int, int group, float a, float* y) {
        const std::byte* w = row + group * kGroupBytes;
        const __m256 factor = _mm256_set1_ps(a);
        for (int k = 0; k < 16; ++k) {
            _mm256_storeu_ps(y + 8 * k, _mm256_fmadd_ps(factor, Row::load(w + k * 8 * Row::kBytes),
                                                        _mm256_loadu_ps(y + 8 * k)));
        }
    }
};

struct Q8Adder {
    static constexpr int kGroupBytes = kRowGroup;
    static void add(const std::byte* row, int cols, int group, float a, float* y) {
        const std::byte* w = row + group * kGroupBytes;
        float scale[4];
        _mm_storeu_ps(scale, _mm_mul_ps(scales_of(row + cols + 8 * group), _mm_set1_ps(a)));
        for (int k = 0; k < 16; ++k) {
            const __m256i stored =
                _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(w + 8 * k)));
            const __m256 value =
                _mm256_cvtepi32_ps(_mm256_sub_epi32(stored, _mm256_set1_epi32(128)));
            _mm256_storeu_ps(y + 8 * k, _mm256_fmadd_ps(_mm256_set1_ps(scale[k / 4]), value,
                                                        _mm256_loadu_ps(y + 8 * k)));
        }
    }
};

struct Q4Adder {
    static constexpr int kGroupBytes = kRowGroup / 2;
    static void add(const std::byte* row, int cols, int group, float a, float* y) {
        const std::byte* w = row + group * kGroupBytes;
        float scale[4];
        _mm_storeu_ps(scale, _mm_mul_ps(scales_of(row + cols / 2 + 8 * group), _mm_set1_ps(a)));
        const __m256i low = _mm256_set1_epi32(15);
        for (int half = 0; half < 2; ++half) {
            const __m256 lower = _mm256_set1_ps(scale[half]);
            const __m256 upper = _mm256_set1_ps(scale[2 + half]);
            __m256i nibbles = load_bytes(w + 32 * half);
            for (int k = 0; k < 8; ++k) {
                const __m256 value = _mm256_cvtepi32_ps(
                    _mm256_sub_epi32(_mm256_and_si256(nibbles, low), _mm256_set1_epi32(8)));
                float* place = y + 16 * k + 8 * half;
                _mm256_storeu_ps(place, _mm256_fmadd_ps(k % 2 == 0 ? lower : upper, value,
                                                        _mm256_loadu_ps(place)));
                nibbles = _mm256_srli_epi32(nibbles, 4);
            }
        }
    }
};

// Several rows pass over the sums of a group, which are 8 lines of the first-level cache.
template <class Adder>
void add_rows(const RowAdd& task) {
    constexpr int kRowsAtOnce = 8;
    for (int first = 0; first < task.n; first += kRowsAtOnce) {
        const int n = task.n - first < kRowsAtOnce ? task.n - first : kRowsAtOnce;
        const std::byte* rows[kRowsAtOnce];
        for (int i = 0; i < n; ++i) {
            rows[i] = task.rows + task.index[first + i] * task.stride;
        }
        for (int group = task.first_group; group < task.last_group; ++group) {
            for (int i = 0; i < n; ++i) {
                fetch(rows[i] + (group + 8) * Adder::kGroupBytes);
                Adder::add(rows[i], task.cols, group, task.a[first + i],
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

}  // namespace hearth::kernels::avx2
