// Keys lie in tiles of 16 positions, so a lane is a position and a score needs no sum across lanes;
// values lie in rows, so a lane is a dimension of the output.
//
// A run of positions is taken in chunks, so that scores stay in L1. While a chunk's keys are read
// its values are fetched, and while the values are read the next chunk's keys are. Memory then
// waits neither for the softmax in between nor for a prefetcher to find the other stream.
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

// Asks for the cache's line before it is needed. The batch's are in the cache already.
inline void fetch(const std::uint16_t* p) {
    _mm_prefetch(reinterpret_cast<const char*>(p), _MM_HINT_T0);
}
inline void fetch(const float* /*p*/) {}

// The softmax of every query so far.
struct State {
    float largest[kAttentionQueries];
    float total[kAttentionQueries];
    float score[kAttentionQueries][kAttentionChunk];
};

// Scores of N queries for T tiles of 16 positions, even and odd dimensions summed apart: at four
// queries and two tiles 16 chains, and a broadcast query value serves two of them. Fetches as much
// from `ahead` on as it reads.
template <int N, int T, class Element>
inline void score_tiles(const Element* k, const Element* ahead, const float* const* q, int head_dim,
                        __m512 scale, float (*score)[kAttentionChunk], int column) {
    const std::size_t tile = static_cast<std::size_t>(head_dim) * kTileRows;
    __m512 even[N][T];
    __m512 odd[N][T];
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < T; ++j) {
            even[i][j] = _mm512_setzero_ps();
            odd[i][j] = _mm512_setzero_ps();
        }
    }
    for (int c = 0; c < head_dim; c += 2, k += 2 * kTileRows, ahead += 2 * kTileRows) {
        __m512 first[T];
        __m512 second[T];
        for (int j = 0; j < T; ++j) {
            fetch(ahead + static_cast<std::size_t>(j) * tile);
            first[j] = load(k + static_cast<std::size_t>(j) * tile);
            second[j] = load(k + static_cast<std::size_t>(j) * tile + kTileRows);
        }
        for (int i = 0; i < N; ++i) {
            const __m512 q0 = _mm512_set1_ps(q[i][c]);
            const __m512 q1 = _mm512_set1_ps(q[i][c + 1]);
            for (int j = 0; j < T; ++j) {
                even[i][j] = _mm512_fmadd_ps(first[j], q0, even[i][j]);
                odd[i][j] = _mm512_fmadd_ps(second[j], q1, odd[i][j]);
            }
        }
    }
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < T; ++j) {
            _mm512_storeu_ps(&score[i][column + j * kTileRows],
                             _mm512_mul_ps(_mm512_add_ps(even[i][j], odd[i][j]), scale));
        }
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

// out[i] = out[i] * rescale[i] + sum of weight[i][p] v[p] over first <= p < last, for N queries. 64
// dimensions at a time stay in registers over the whole chunk, 16 sums at four queries, so that a
// value is loaded and converted once for all of them. Fetches as much from `ahead` on as it reads.
template <int N, class Element>
inline void add_values(const float (*weight)[kAttentionChunk], int first, int last,
                       const Element* values, std::size_t stride, const Element* ahead,
                       int head_dim, const float* rescale, float* const* out) {
    for (int c = 0; c < head_dim; c += 64) {
        __m512 sum[N][4];
        __mmask16 mask[4];
        for (int j = 0; j < 4; ++j) {
            mask[j] = lane_mask(head_dim - c - 16 * j);
            for (int i = 0; i < N; ++i) {
                sum[i][j] = _mm512_mul_ps(_mm512_maskz_loadu_ps(mask[j], out[i] + c + 16 * j),
                                          _mm512_set1_ps(rescale[i]));
            }
        }
        const Element* v = values + static_cast<std::size_t>(first) * stride + c;
        const Element* next = ahead + static_cast<std::size_t>(first) * stride + c;
        for (int p = first; p < last; ++p, v += stride, next += stride) {
            fetch(next);
            fetch(next + 32);
            __m512 value[4];
            for (int j = 0; j < 4; ++j) {
                value[j] = load(mask[j], v + 16 * j);
            }
            for (int i = 0; i < N; ++i) {
                const __m512 w = _mm512_set1_ps(weight[i][p]);
                for (int j = 0; j < 4; ++j) {
                    sum[i][j] = _mm512_fmadd_ps(w, value[j], sum[i][j]);
                }
            }
        }
        for (int j = 0; j < 4; ++j) {
            for (int i = 0; i < N; ++i) {
                _mm512_mask_storeu_ps(out[i] + c + 16 * j, mask[j], sum[i][j]);
            }
        }
    }
}

// Adds positions [0, n_valid[i]) of a run of keys and values to every query i.
template <class Element>
inline void attend(const Attention& task, const Element* keys, const Element* values,
                   std::size_t stride, const int* n_valid, State& state) {
    const auto dim = static_cast<std::size_t>(task.spec.head_dim);
    const __m512 scale = _mm512_set1_ps(task.spec.scale);
    int most_valid = 0;
    for (int i = 0; i < task.n_queries; ++i) {
        most_valid = n_valid[i] > most_valid ? n_valid[i] : most_valid;
    }
    for (int first = 0; first < most_valid; first += kAttentionChunk) {
        const int count =
            most_valid - first < kAttentionChunk ? most_valid - first : kAttentionChunk;
        const Element* k = keys + static_cast<std::size_t>(first) * dim;
        const Element* v = values + static_cast<std::size_t>(first) * stride;
        const Element* next = first + kAttentionChunk < most_valid ? k + kAttentionChunk * dim : k;
        for (int i = 0; i < task.n_queries;) {
            const auto step = [&]<int N>() {
                int tile = 0;
                for (; tile + kTileRows < count; tile += 2 * kTileRows) {
                    score_tiles<N, 2>(k + static_cast<std::size_t>(tile) * dim,
                                      v + static_cast<std::size_t>(tile) * dim, task.q + i,
                                      task.spec.head_dim, scale, state.score + i, tile);
                }
                if (tile < count) {
                    score_tiles<N, 1>(k + static_cast<std::size_t>(tile) * dim,
                                      v + static_cast<std::size_t>(tile) * dim, task.q + i,
                                      task.spec.head_dim, scale, state.score + i, tile);
                }
                // Queries of one group may see different numbers of positions: together as far as
                // all see, then each alone.
                int n[N];
                float rescale[N];
                int together = count;
                for (int j = 0; j < N; ++j) {
                    const int left = n_valid[i + j] - first;
                    n[j] = left < 0 ? 0 : left < count ? left : count;
                    together = n[j] < together ? n[j] : together;
                    rescale[j] = n[j] > 0 ? weigh(state, i + j, n[j]) : 1.0F;
                }
                if (together > 0) {
                    add_values<N>(state.score + i, 0, together, v, stride, next, task.spec.head_dim,
                                  rescale, task.out + i);
                }
                for (int j = 0; j < N; ++j) {
                    const float once = together > 0 ? 1.0F : rescale[j];
                    if (n[j] > together) {
                        add_values<1>(state.score + i + j, together, n[j], v, stride, next,
                                      task.spec.head_dim, &once, task.out + i + j);
                    }
                }
                i += N;
            };
            if (task.n_queries - i >= 4) {
                step.template operator()<4>();
            } else {
                step.template operator()<1>();
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
        for (int c = 0; c < task.spec.head_dim; c += 16) {
            _mm512_mask_storeu_ps(task.out[i] + c, lane_mask(task.spec.head_dim - c),
                                  _mm512_setzero_ps());
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
        const __m512 inverse = _mm512_set1_ps(1.0F / state.total[i]);
        for (int c = 0; c < task.spec.head_dim; c += 16) {
            const __mmask16 mask = lane_mask(task.spec.head_dim - c);
            _mm512_mask_storeu_ps(
                task.out[i] + c, mask,
                _mm512_mul_ps(_mm512_maskz_loadu_ps(mask, task.out[i] + c), inverse));
        }
    }
}

}  // namespace hearth::kernels::avx512
