// As avx512/attention.cpp with 4 lanes: a tile of keys is four quarters.
#include <arm_neon.h>

#include "cpu/kernels/neon/functions.h"
#include "cpu/kernels/neon/lanes.h"

namespace hearth::kernels::neon {
namespace {

constexpr int kQuarters = 4;

inline float32x4_t load(const std::uint16_t* p) {
    return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p)));
}
inline float32x4_t load(const float* p) {
    return vld1q_f32(p);
}
inline float load_one(const std::uint16_t* p) {
    return vgetq_lane_f32(vcvt_f32_f16(vreinterpret_f16_u16(vdup_n_u16(*p))), 0);
}
inline float load_one(const float* p) {
    return *p;
}

// The softmax of every query so far.
struct State {
    float largest[kAttentionQueries];
    float total[kAttentionQueries];
    float score[kAttentionQueries][kAttentionChunk];
};

// Scores of N queries for one tile of 16 positions. At 4 queries 16 sums + 4 keys + 1 value.
template <int N, class Element>
inline void score_tile(const Element* k, const float* const* q, int head_dim, float scale,
                       float (*score)[kAttentionChunk], int column) {
    float32x4_t sum[N][kQuarters];
    for (int i = 0; i < N; ++i) {
        for (int quarter = 0; quarter < kQuarters; ++quarter) {
            sum[i][quarter] = vdupq_n_f32(0);
        }
    }
    for (int c = 0; c < head_dim; ++c) {
        float32x4_t key[kQuarters];
        for (int quarter = 0; quarter < kQuarters; ++quarter) {
            key[quarter] = load(k + static_cast<std::size_t>(c) * kTileRows + 4 * quarter);
        }
        for (int i = 0; i < N; ++i) {
            for (int quarter = 0; quarter < kQuarters; ++quarter) {
                sum[i][quarter] = vfmaq_n_f32(sum[i][quarter], key[quarter], q[i][c]);
            }
        }
    }
    for (int i = 0; i < N; ++i) {
        for (int quarter = 0; quarter < kQuarters; ++quarter) {
            vst1q_f32(&score[i][column + 4 * quarter], vmulq_n_f32(sum[i][quarter], scale));
        }
    }
}

// Turns n scores of one query into weights; returns what earlier sums must be multiplied by.
inline float weigh(State& state, int i, int n) {
    const float32x4_t before = vdupq_n_f32(state.largest[i]);
    float32x4_t most = before;
    for (int p = 0; p < n; p += 4) {
        most =
            vmaxnmq_f32(most, vbslq_f32(lane_mask(n - p), vld1q_f32(&state.score[i][p]), before));
    }
    const float largest = vmaxnmvq_f32(most);
    const float32x4_t shift = vdupq_n_f32(largest);
    const float rescale = vgetq_lane_f32(exp_lanes(vsubq_f32(before, shift)), 0);
    float32x4_t sum = vdupq_n_f32(0);
    for (int p = 0; p < n; p += 4) {
        const float32x4_t weight =
            vbslq_f32(lane_mask(n - p), exp_lanes(vsubq_f32(vld1q_f32(&state.score[i][p]), shift)),
                      vdupq_n_f32(0));
        vst1q_f32(&state.score[i][p], weight);
        sum = vaddq_f32(sum, weight);
    }
    state.total[i] = state.total[i] * rescale + vaddvq_f32(sum);
    state.largest[i] = largest;
    return rescale;
}

// Adds weight[i][p] v[p] for n positions to M vectors of N queries' outputs, which stay in
// registers meanwhile. N M is 8 at least: as many multiply-adds as hide a latency of 4 cycles in 2
// pipes.
template <int N, int M, class Element>
inline void add_columns(const float (*weight)[kAttentionChunk], int first, int n, const Element* v,
                        std::size_t stride, float* const* out, std::size_t c) {
    float32x4_t sum[N][M];
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < M; ++j) {
            sum[i][j] = vld1q_f32(out[i] + c + 4 * j);
        }
    }
    v += static_cast<std::size_t>(first) * stride + c;
    for (int p = first; p < first + n; ++p, v += stride) {
        float32x4_t value[M];
        for (int j = 0; j < M; ++j) {
            value[j] = load(v + 4 * j);
        }
        for (int i = 0; i < N; ++i) {
            for (int j = 0; j < M; ++j) {
                sum[i][j] = vfmaq_n_f32(sum[i][j], value[j], weight[i][p]);
            }
        }
    }
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < M; ++j) {
            vst1q_f32(out[i] + c + 4 * j, sum[i][j]);
        }
    }
}

// Positions [first, first + n) of the chunk for N queries, which share what is converted from F16:
// 4 queries times 16 columns are 16 sums + 4 values + 4 weights of 32 registers. What is left of an
// odd head size goes one column at a time.
template <int N, class Element>
inline void add_values(const float (*weight)[kAttentionChunk], int first, int n,
                       const Element* values, std::size_t stride, int head_dim, float* const* out) {
    constexpr int kWide = N == 4 ? 4 : 8;
    const auto dim = static_cast<std::size_t>(head_dim);
    std::size_t c = 0;
    for (; c + 4 * kWide <= dim; c += 4 * kWide) {
        add_columns<N, kWide>(weight, first, n, values, stride, out, c);
    }
    for (; c + 4 <= dim; c += 4) {
        add_columns<N, 1>(weight, first, n, values, stride, out, c);
    }
    for (; c < dim; ++c) {
        for (int i = 0; i < N; ++i) {
            float sum = out[i][c];
            for (int p = first; p < first + n; ++p) {
                sum += weight[i][p] * load_one(values + static_cast<std::size_t>(p) * stride + c);
            }
            out[i][c] = sum;
        }
    }
}

// Adds a chunk's values: n[i] of them to query i. N queries share what all of them see.
template <int N, class Element>
inline void add_shared(const Attention& task, const State& state, int i, const int* n,
                       const Element* values, std::size_t stride) {
    int shared = n[0];
    for (int k = 1; k < N; ++k) {
        shared = n[k] < shared ? n[k] : shared;
    }
    add_values<N>(state.score + i, 0, shared, values, stride, task.spec.head_dim, task.out + i);
    for (int k = 0; k < N && N > 1; ++k) {
        if (n[k] > shared) {
            add_values<1>(state.score + i + k, shared, n[k] - shared, values, stride,
                          task.spec.head_dim, task.out + i + k);
        }
    }
}

// Adds positions [0, n_valid[i]) of a run of keys and values to every query i.
template <class Element>
inline void attend(const Attention& task, const Element* keys, const Element* values,
                   std::size_t stride, const int* n_valid, State& state) {
    const auto dim = static_cast<std::size_t>(task.spec.head_dim);
    int most_valid = 0;
    for (int i = 0; i < task.n_queries; ++i) {
        most_valid = n_valid[i] > most_valid ? n_valid[i] : most_valid;
    }
    for (int first = 0; first < most_valid; first += kAttentionChunk) {
        const int count =
            most_valid - first < kAttentionChunk ? most_valid - first : kAttentionChunk;
        for (int tile = 0; tile < count; tile += kTileRows) {
            const Element* k = keys + static_cast<std::size_t>(first + tile) * dim;
            int i = 0;
            for (; i + 4 <= task.n_queries; i += 4) {
                score_tile<4>(k, task.q + i, task.spec.head_dim, task.spec.scale, state.score + i,
                              tile);
            }
            for (; i < task.n_queries; ++i) {
                score_tile<1>(k, task.q + i, task.spec.head_dim, task.spec.scale, state.score + i,
                              tile);
            }
        }
        int n[kAttentionQueries];
        for (int i = 0; i < task.n_queries; ++i) {
            const int left = n_valid[i] - first;
            n[i] = left < 0 ? 0 : left < count ? left : count;
            if (n[i] > 0) {
                const float rescale = weigh(state, i, n[i]);
                for (int c = 0; c < task.spec.head_dim; ++c) {
                    task.out[i][c] *= rescale;
                }
            }
        }
        const Element* v = values + static_cast<std::size_t>(first) * stride;
        int i = 0;
        for (; i + 4 <= task.n_queries; i += 4) {
            add_shared<4>(task, state, i, n + i, v, stride);
        }
        for (; i + 2 <= task.n_queries; i += 2) {
            add_shared<2>(task, state, i, n + i, v, stride);
        }
        for (; i < task.n_queries; ++i) {
            add_shared<1>(task, state, i, n + i, v, stride);
        }
    }
}

}  // namespace

void attention(const Attention& task) {
    State state;
    int n_cached[kAttentionQueries];
    const float lowest = -vgetq_lane_f32(infinities(), 0);
    for (int i = 0; i < task.n_queries; ++i) {
        state.largest[i] = lowest;
        state.total[i] = 0;
        n_cached[i] = task.n_cached;
        for (int c = 0; c < task.spec.head_dim; ++c) {
            task.out[i][c] = 0;
        }
    }
    attend(task, task.k, task.v, static_cast<std::size_t>(task.spec.head_dim), n_cached, state);
    attend(task, task.k_batch, task.v_batch, task.v_batch_stride, task.n_batch, state);
    if (task.largest != nullptr) {
        for (int i = 0; i < task.n_queries; ++i) {
            task.largest[i] = state.largest[i];
            task.total[i] = state.total[i];
        }
        return;
    }
    for (int i = 0; i < task.n_queries; ++i) {
        const float inverse = 1.0F / state.total[i];
        for (int c = 0; c < task.spec.head_dim; ++c) {
            task.out[i][c] *= inverse;
        }
    }
}

}  // namespace hearth::kernels::neon
