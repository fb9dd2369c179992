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

// M vectors of the output stay in registers over the whole chunk.
template <int M, class Element>
inline void add_columns(const float* weight, int n, const Element* v, std::size_t stride,
                        float rescale, float* result) {
    float32x4_t out[M];
    for (int j = 0; j < M; ++j) {
        out[j] = vmulq_n_f32(vld1q_f32(result + 4 * j), rescale);
    }
    for (int p = 0; p < n; ++p, v += stride) {
        for (int j = 0; j < M; ++j) {
            out[j] = vfmaq_n_f32(out[j], load(v + 4 * j), weight[p]);
        }
    }
    for (int j = 0; j < M; ++j) {
        vst1q_f32(result + 4 * j, out[j]);
    }
}

// out = out * rescale + sum of weight[p] v[p]: 32 columns at a time are 8 chains, the latency of 4
// cycles times 2 pipes; what is left of an odd head size goes by fours and then one by one.
template <class Element>
inline void add_values(const float* weight, int n, const Element* values, std::size_t stride,
                       int head_dim, float rescale, float* result) {
    int c = 0;
    for (; c + 32 <= head_dim; c += 32) {
        add_columns<8>(weight, n, values + c, stride, rescale, result + c);
    }
    for (; c + 4 <= head_dim; c += 4) {
        add_columns<1>(weight, n, values + c, stride, rescale, result + c);
    }
    for (; c < head_dim; ++c) {
        float sum = result[c] * rescale;
        for (int p = 0; p < n; ++p) {
            sum += weight[p] * load_one(values + static_cast<std::size_t>(p) * stride +
                                        static_cast<std::size_t>(c));
        }
        result[c] = sum;
    }
}

// Adds positions [0, n_valid[i]) of a run of keys and values to every query i.
template <class Element>
inline void attend(const Attention& task, const Element* keys, const Element* values,
                   std::size_t stride, const int* n_valid, State& state) {
    const auto dim = static_cast<std::size_t>(task.head_dim);
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
                score_tile<4>(k, task.q + i, task.head_dim, task.scale, state.score + i, tile);
            }
            for (; i < task.n_queries; ++i) {
                score_tile<1>(k, task.q + i, task.head_dim, task.scale, state.score + i, tile);
            }
        }
        for (int i = 0; i < task.n_queries; ++i) {
            const int n = n_valid[i] - first < count ? n_valid[i] - first : count;
            if (n > 0) {
                const float rescale = weigh(state, i, n);
                add_values(state.score[i], n, values + static_cast<std::size_t>(first) * stride,
                           stride, task.head_dim, rescale, task.out[i]);
            }
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
        for (int c = 0; c < task.head_dim; ++c) {
            task.out[i][c] = 0;
        }
    }
    attend(task, task.k, task.v, static_cast<std::size_t>(task.head_dim), n_cached, state);
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
        for (int c = 0; c < task.head_dim; ++c) {
            task.out[i][c] *= inverse;
        }
    }
}

}  // namespace hearth::kernels::neon
