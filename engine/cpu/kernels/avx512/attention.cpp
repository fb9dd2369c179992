// Keys lie in tiles of 16 positions, so a lane is a position and a score needs no sum across lanes;
// values lie in rows, so a lane is a dimension of the output.
#include <immintrin.h>

#include "cpu/kernels/avx512/exp.h"
#include "cpu/kernels/avx512/functions.h"

namespace hearth::kernels::avx512 {
namespace {

inline __m512 load(const std::uint16_t* p) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
}
inline __m512 load(const float* p) {
    return _mm512_loadu_ps(p);
}
inline __m512 load(__mmask16 mask, const std::uint16_t* p) {
    return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(mask, p));
}
inline __m512 load(__mmask16 mask, const float* p) {
    return _mm512_maskz_loadu_ps(mask, p);
}

inline __mmask16 lane_mask(int left) {
    return left >= 16 ? static_cast<__mmask16>(0xFFFF)
                      : static_cast<__mmask16>(left <= 0 ? 0U : (1U << left) - 1U);
}

// The softmax of every query so far.
struct State {
    float largest[kAttentionQueries];
    float total[kAttentionQueries];
    float score[kAttentionQueries][kAttentionChunk];
};

// Scores of N queries for one tile of 16 positions, even and odd dimensions summed apart.
template <int N, class Element>
inline void score_tile(const Element* k, const float* const* q, int head_dim, __m512 scale,
                       float (*score)[kAttentionChunk], int column) {
    __m512 even[N];
    __m512 odd[N];
    for (int i = 0; i < N; ++i) {
        even[i] = _mm512_setzero_ps();
        odd[i] = _mm512_setzero_ps();
    }
    for (int c = 0; c < head_dim; c += 2) {
        const __m512 first = load(k + static_cast<std::size_t>(c) * kTileRows);
        const __m512 second = load(k + static_cast<std::size_t>(c + 1) * kTileRows);
        for (int i = 0; i < N; ++i) {
            even[i] = _mm512_fmadd_ps(first, _mm512_set1_ps(q[i][c]), even[i]);
            odd[i] = _mm512_fmadd_ps(second, _mm512_set1_ps(q[i][c + 1]), odd[i]);
        }
    }
    for (int i = 0; i < N; ++i) {
        _mm512_storeu_ps(&score[i][column], _mm512_mul_ps(_mm512_add_ps(even[i], odd[i]), scale));
    }
}

// Turns n scores of one query into weights; returns what earlier sums must be multiplied by.
inline float weigh(State& state, int i, int n) {
    __m512 most = _mm512_set1_ps(state.largest[i]);
    for (int p = 0; p < n; p += 16) {
        most =
            _mm512_mask_max_ps(most, lane_mask(n - p), most, _mm512_loadu_ps(&state.score[i][p]));
    }
    const float largest = _mm512_reduce_max_ps(most);
    const __m512 shift = _mm512_set1_ps(largest);
    const float rescale =
        _mm512_cvtss_f32(exp_lanes(_mm512_sub_ps(_mm512_set1_ps(state.largest[i]), shift)));
    __m512 sum = _mm512_setzero_ps();
    for (int p = 0; p < n; p += 16) {
        const __m512 weight = _mm512_maskz_mov_ps(
            lane_mask(n - p), exp_lanes(_mm512_sub_ps(_mm512_loadu_ps(&state.score[i][p]), shift)));
        _mm512_storeu_ps(&state.score[i][p], weight);
        sum = _mm512_add_ps(sum, weight);
    }
    state.total[i] = state.total[i] * rescale + _mm512_reduce_add_ps(sum);
    state.largest[i] = largest;
    return rescale;
}

// out = out * rescale + sum of weight[p] v[p]; four vectors of the output at a time stay in
// registers over the whole chunk.
template <class Element>
inline void add_values(const float* weight, int n, const Element* values, std::size_t stride,
                       int head_dim, float rescale, float* result) {
    for (int c = 0; c < head_dim; c += 64) {
        __m512 out[4];
        __mmask16 mask[4];
        for (int j = 0; j < 4; ++j) {
            mask[j] = lane_mask(head_dim - c - 16 * j);
            out[j] = _mm512_mul_ps(_mm512_maskz_loadu_ps(mask[j], result + c + 16 * j),
                                   _mm512_set1_ps(rescale));
        }
        const Element* v = values + c;
        for (int p = 0; p < n; ++p, v += stride) {
            const __m512 w = _mm512_set1_ps(weight[p]);
            for (int j = 0; j < 4; ++j) {
                out[j] = _mm512_fmadd_ps(w, load(mask[j], v + 16 * j), out[j]);
            }
        }
        for (int j = 0; j < 4; ++j) {
            _mm512_mask_storeu_ps(result + c + 16 * j, mask[j], out[j]);
        }
    }
}

// Adds positions [0, n_valid[i]) of a run of keys and values to every query i.
template <class Element>
inline void attend(const Attention& task, const Element* keys, const Element* values,
                   std::size_t stride, const int* n_valid, State& state) {
    const auto dim = static_cast<std::size_t>(task.head_dim);
    const __m512 scale = _mm512_set1_ps(task.scale);
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
        for (int c = 0; c < task.head_dim; c += 16) {
            _mm512_mask_storeu_ps(task.out[i] + c, lane_mask(task.head_dim - c),
                                  _mm512_setzero_ps());
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
        const __m512 inverse = _mm512_set1_ps(1.0F / state.total[i]);
        for (int c = 0; c < task.head_dim; c += 16) {
            const __mmask16 mask = lane_mask(task.head_dim - c);
            _mm512_mask_storeu_ps(
                task.out[i] + c, mask,
                _mm512_mul_ps(_mm512_maskz_loadu_ps(mask, task.out[i] + c), inverse));
        }
    }
}

}  // namespace hearth::kernels::avx512
