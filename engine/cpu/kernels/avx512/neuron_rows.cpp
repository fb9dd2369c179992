// Rows of neurons (kernels/neuron_rows.h). The rows of a list lie anywhere, so the processor's own
// prefetcher is of little use. While a row is computed, the lines of the row two places on are
// fetched.
#include <immintrin.h>

#include "cpu/kernels/avx512/functions.h"

namespace hearth::kernels::avx512 {
namespace {

constexpr int kAhead = 2;  // rows: 4 KB and more at published widths
constexpr int kLine = 64;

inline __m512i load_bytes(const std::byte* p) {
    return _mm512_loadu_si512(p);
}
inline void fetch(const std::byte* p) {
    _mm_prefetch(reinterpret_cast<const char*>(p), _MM_HINT_T0);
}
// Fetches into L2, which is a tenth faster than into L1 where the next use is a row away.
inline void fetch_far(const std::byte* p) {
    _mm_prefetch(reinterpret_cast<const char*>(p), _MM_HINT_T1);
}
// The row that is fetched while row i is computed: kAhead places on, or row i itself near the end.
template <class Task>
inline const std::byte* row_ahead(const Task& task, int i) {
    return task.rows + task.index[i + kAhead < task.n ? i + kAhead : i] * task.stride;
}
inline __mmask16 first_lanes(int n) {
    return static_cast<__mmask16>((1U << n) - 1U);
}
// Lanes 0 to 7: value `first` of v, 8 to 15: the next.
inline __m512i pair_index(int first) {
    return _mm512_add_epi32(_mm512_set1_epi32(first),
                            _mm512_set_epi32(1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0));
}

struct F32Row {
    static constexpr int kBytes = 4;
    static __m512 load(const std::byte* p) { return _mm512_loadu_ps(p); }
};
struct F16Row {
    static constexpr int kBytes = 2;
    static __m512 load(const std::byte* p) {
        return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
    }
};
struct Bf16Row {
    static constexpr int kBytes = 2;
    static __m512 load(const std::byte* p) {
        const __m512i wide =
            _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
        return _mm512_castsi512_ps(_mm512_slli_epi32(wide, 16));
    }
};

template <class Row>
void dot_float(const RowDot& task) {
    constexpr int kGroupBytes = kRowGroup * Row::kBytes;
    for (int i = 0; i < task.n; ++i) {
        const std::byte* row = task.rows + task.index[i] * task.stride;
        const std::byte* ahead = row_ahead(task, i);
        __m512 sum[4] = {_mm512_setzero_ps(), _mm512_setzero_ps(), _mm512_setzero_ps(),
                         _mm512_setzero_ps()};
        const float* x = task.x;
        for (int group = 0; group < task.cols / kRowGroup; ++group) {
            for (int line = 0; line < kGroupBytes; line += kLine) {
                fetch_far(ahead + line);
            }
            for (int k = 0; k < 8; ++k) {
                sum[k % 4] = _mm512_fmadd_ps(Row::load(row + k * 16 * Row::kBytes),
                                             _mm512_loadu_ps(x + 16 * k), sum[k % 4]);
            }
            row += kGroupBytes;
            ahead += kGroupBytes;
            x += kRowGroup;
        }
        task.y[i] = _mm512_reduce_add_ps(
            _mm512_add_ps(_mm512_add_ps(sum[0], sum[1]), _mm512_add_ps(sum[2], sum[3])));
    }
}

// Four groups' scales are made at once: 16 blocks, one register.
template <bool kNibbles>
void dot_quantized(const RowDot& task) {
    constexpr int kGroupBytes = kNibbles ? kRowGroup / 2 : kRowGroup;
    const __m512i low = _mm512_set1_epi8(15);
    const int n_groups = task.cols / kRowGroup;
    for (int i = 0; i < task.n; ++i) {
        const std::byte* row = task.rows + task.index[i] * task.stride;
        const std::byte* ahead = row_ahead(task, i);
        const std::byte* d = row + n_groups * kGroupBytes;
        fetch_far(ahead + n_groups * kGroupBytes);
        __m512 sum0 = _mm512_setzero_ps();
        __m512 sum1 = _mm512_setzero_ps();
        __m512 offsets = _mm512_setzero_ps();
        const std::int8_t* q = task.q;
        for (int group = 0; group < n_groups; group += 4) {
            const int n = n_groups - group < 4 ? n_groups - group : 4;
            const __mmask16 blocks = first_lanes(4 * n);
            const __m512 d_w = _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(blocks, d + 8 * group));
            offsets = _mm512_fmadd_ps(d_w, _mm512_maskz_loadu_ps(blocks, task.offset + 4 * group),
                                      offsets);
            const __m512 scale =
                _mm512_mul_ps(d_w, _mm512_maskz_loadu_ps(blocks, task.d + 4 * group));
            const auto add = [&](__m512i w, int pair) {
                const __m512i products =
                    _mm512_dpbusd_epi32(_mm512_setzero_si512(), w, _mm512_loadu_si512(q));
                __m512& sum = pair % 2 == 0 ? sum0 : sum1;
                sum = _mm512_fmadd_ps(_mm512_cvtepi32_ps(products),
                                      _mm512_permutexvar_ps(pair_index(2 * pair), scale), sum);
                q += 64;
            };
            const auto one_group = [&](int k) {
                const __m512i w = load_bytes(row);
                fetch_far(ahead);
                if constexpr (kNibbles) {
                    add(_mm512_and_si512(w, low), 2 * k);
                    add(_mm512_and_si512(_mm512_srli_epi16(w, 4), low), 2 * k + 1);
                } else {
                    fetch_far(ahead + kLine);
                    add(w, 2 * k);
                    add(load_bytes(row + 64), 2 * k + 1);
                }
                row += kGroupBytes;
                ahead += kGroupBytes;
            };
            if (n == 4) {
                one_group(0);
                one_group(1);
                one_group(2);
                one_group(3);
            } else {
                for (int k = 0; k < n; ++k) {
                    one_group(k);
                }
            }
        }
        const float offset = _mm512_reduce_add_ps(offsets);
        task.y[i] =
            _mm512_reduce_add_ps(_mm512_add_ps(sum0, sum1)) + (kNibbles ? offset : 16.0F * offset);
    }
}

template <class Row>
struct FloatAdder {
    static constexpr int kGroupBytes = kRowGroup * Row::kBytes;
    static void add(const std::byte* row, int, int group, float a, __m512* y) {
        const std::byte* w = row + group * kGroupBytes;
        const __m512 factor = _mm512_set1_ps(a);
        for (int k = 0; k < 8; ++k) {
            y[k] = _mm512_fmadd_ps(factor, Row::load(w + k * 16 * Row::kBytes), y[k]);
        }
    }
};

// The scales of a group's four blocks times a, in the lowest lanes.
inline __m512 scales_times(const std::byte* d, float a) {
    const __m128 scales = _mm_cvtph_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(d)));
    return _mm512_castps128_ps512(_mm_mul_ps(scales, _mm_set1_ps(a)));
}

struct Q8Adder {
    static constexpr int kGroupBytes = kRowGroup;
    static void add(const std::byte* row, int cols, int group, float a, __m512* y) {
        const std::byte* w = row + group * kGroupBytes;
        const __m512 scale = scales_times(row + cols + 8 * group, a);
        for (int k = 0; k < 8; ++k) {
            const __m512i stored =
                _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(w + 16 * k)));
            const __m512 value =
                _mm512_cvtepi32_ps(_mm512_sub_epi32(stored, _mm512_set1_epi32(128)));
            y[k] = _mm512_fmadd_ps(_mm512_permutexvar_ps(_mm512_set1_epi32(k / 2), scale), value,
                                   y[k]);
        }
    }
};

// A nibble is its own index into a register that holds -8 to 7, because vpermps reads four bits of
// a lane and no others.
struct Q4Adder {
    static constexpr int kGroupBytes = kRowGroup / 2;
    template <int kNibble>
    static __m512 value(__m512i w) {
        const __m512 values =
            _mm512_setr_ps(-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7);
        return _mm512_permutexvar_ps(kNibble == 0 ? w : _mm512_srli_epi32(w, 4 * kNibble), values);
    }
    static void add(const std::byte* row, int cols, int group, float a, __m512* y) {
        const __m512i w = load_bytes(row + group * kGroupBytes);
        const __m512 scale = scales_times(row + cols / 2 + 8 * group, a);
        const __m512 low = _mm512_permutexvar_ps(pair_index(0), scale);
        const __m512 high = _mm512_permutexvar_ps(pair_index(2), scale);
        y[0] = _mm512_fmadd_ps(low, value<0>(w), y[0]);
        y[1] = _mm512_fmadd_ps(high, value<1>(w), y[1]);
        y[2] = _mm512_fmadd_ps(low, value<2>(w), y[2]);
        y[3] = _mm512_fmadd_ps(high, value<3>(w), y[3]);
        y[4] = _mm512_fmadd_ps(low, value<4>(w), y[4]);
        y[5] = _mm512_fmadd_ps(high, value<5>(w), y[5]);
        y[6] = _mm512_fmadd_ps(low, value<6>(w), y[6]);
        y[7] = _mm512_fmadd_ps(high, value<7>(w), y[7]);
    }
};

// Several rows pass over a group's sums while these are in registers. Meanwhile the same group of
// the next rows is fetched.
template <class Adder>
void add_rows(const RowAdd& task) {
    constexpr int kRowsAtOnce = 8;
    const std::byte* rows[2 * kRowsAtOnce];
    const auto look_up = [&](int first, int n, const std::byte** out) {
        for (int i = 0; i < n; ++i) {
            out[i] = task.rows + task.index[first + i] * task.stride;
        }
    };
    const auto count_from = [&](int first) {
        const int left = task.n - first;
        return left < 0 ? 0 : (left < kRowsAtOnce ? left : kRowsAtOnce);
    };
    for (int first = 0; first < task.n; first += kRowsAtOnce) {
        const int n = count_from(first);
        const int n_next = count_from(first + kRowsAtOnce);
        look_up(first, n, rows);
        look_up(first + kRowsAtOnce, n_next, rows + kRowsAtOnce);
        for (int group = task.first_group; group < task.last_group; ++group) {
            float* place = task.y + (group - task.first_group) * kRowGroup;
            for (int i = 0; i < n_next; ++i) {
                for (int line = 0; line < Adder::kGroupBytes; line += kLine) {
                    fetch(rows[kRowsAtOnce + i] + group * Adder::kGroupBytes + line);
                }
            }
            __m512 y[8];
            for (int k = 0; k < 8; ++k) {
                y[k] = _mm512_loadu_ps(place + 16 * k);
            }
            for (int i = 0; i < n; ++i) {
                Adder::add(rows[i], task.cols, group, task.a[first + i], y);
            }
            for (int k = 0; k < 8; ++k) {
                _mm512_storeu_ps(place + 16 * k, y[k]);
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
    dot_quantized<false>(task);
}
void row_add_q8_0(const RowAdd& task) {
    add_rows<Q8Adder>(task);
}
void row_dot_q4_0(const RowDot& task) {
    dot_quantized<true>(task);
}
void row_add_q4_0(const RowAdd& task) {
    add_rows<Q4Adder>(task);
}

}  // namespace hearth::kernels::avx512
