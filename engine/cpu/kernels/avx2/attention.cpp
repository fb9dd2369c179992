// As avx512/attention.cpp with 8 lanes: a tile of keys is two halves.
#include <immintrin.h>

#include "cpu/kernels/avx2/functions.h"
#include "cpu/kernels/avx2/lanes.h"

namespace hearth::kernels::avx2 {
namespace {

inline __m256 load(const std::uint16_t* p) {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
inline __m256 load(const float* p) {
    return _mm256_loadu_ps(p);
}
inline float load_one(const std::uint16_t* p) {
    return _cvtsh_ss(*p);
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

// Scores of N queries for one tile of 16 positions.
template <int N, class Element>
inline void score_tile(const Element* k, const float* const* q, int head_dim, __m256 scale,
                       float (*score)[kAttentionChunk], int column) {
    __m256 sum[N][2];
    for (int i = 0; i < N; ++i) {
        sum[i][0] = _mm256_setzero_ps();
        sum[i][1] = _mm256_setzero_ps();
    }
    for (int c = 0; c < head_dim; ++c) {
        const __m256 low = load(k + static_cast<std::size_t>(c) * kTileRows);
        const __m256 high = load(k + static_cast<std::size_t>(c) * kTileRows + 8);
        for (int i = 0; i < N; ++i) {
            const __m256 value = _mm256_set1_ps(q[i][c]);
            sum[i][0] = _mm256_fmadd_ps(low, value, sum[i][0]);
            sum[i][1] = _mm256_fmadd_ps(high, value, sum[i][1]);
        }
    }
    for (int i = 0; i < N; ++i) {
        _mm256_storeu_ps(&score[i][column], _mm256_mul_ps(sum[i][0], scale));
        _mm256_storeu_ps(&score[i][column + 8], _mm256_mul_ps(sum[i][1], scale));
    }
}

// Turns n scores of one query into weights; returns what earlier sums must be multiplied by.
inline float weigh(State& state, int i, int n) {
    const __m256 before = _mm256_set1_ps(state.largest[i]);
    __m256 most = before;
    for (int p = 0; p < n; p += 8) {
        most = _mm256_max_ps(most, _mm256_blendv_ps(before, _mm256_loadu_ps(&state.score[i][p]),
                                                    _mm256_castsi256_ps(lane_mask(n - p))));
    }
    const float largest = max_lanes(most);
    const __m256 shift = _mm256_set1_ps(largest);
    const float rescale = _mm256_cvtss_f32(exp_lanes(_mm256_sub_ps(before, shift)));
    __m256 sum = _mm256_setzero_ps();
    for (int p = 0; p < n; p += 8) {
        const __m256 weight =
            _mm256_and_ps(exp_lanes(_mm256_sub_ps(_mm256_loadu_ps(&state.score[i][p]), shift)),
                          _mm256_castsi256_ps(lane_mask(n - p)));
        _mm256_storeu_ps(&state.score[i][p], weight);
        sum = _mm256_add_ps(sum, weight);
    }
    state.total[i] = state.total[i] * rescale + sum_lanes(sum);
    state.largest[i] = largest;
    return rescale;
}

// out = out * rescale + sum of weight[p] v[p]; four vectors of the output at a time stay in
// registers over the whole chunk, what is left of an odd head size goes one by one.
template <class Element>
inline void add_values(const float* weight, int n, const Element* values, std::size_t stride,
                       int head_dim, float rescale, float* result) {
    int c = 0;
    for (; c + 32 <= head_dim; c += 32) {
        __m256 out[4];
        for (int j = 0; j < 4; ++j) {
            out[j] = _mm256_mul_ps(_mm256_loadu_ps(result + c + 8 * j), _mm256_set1_ps(rescale));
        }
        const Element* v = values + c;
        for (int p = 0; p < n; ++p, v += stride) {
            const __m256 w = _mm256_set1_ps(weight[p]);
            for (int j = 0; j < 4; ++j) {
                out[j] = _mm256_fmadd_ps(w, load(v + 8 * j), out[j]);
            }
        }
        for (int j = 0; j < 4; ++j) {
            _mm256_storeu_ps(result + c + 8 * j, out[j]);
        }
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
    const __m256 scale = _mm256_set1_ps(task.scale);
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
                score_tile<4>(k, task.q + i, task.head_dim, scale, state.score + i, tile);
            }
            for (; i < task.n_queries; ++i) {
                score_tile<1>(k, task.q + i, task.head_dim, scale, state.score + i, tile);
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
    for (int i = 0; i < task.n_queries; ++i) {
        state.largest[i] = -__builtin_inff();
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

}  // namespace hearth::kernels::avx2
