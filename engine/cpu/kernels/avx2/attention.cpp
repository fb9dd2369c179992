// Attention with 8 lanes: a tile of keys is two halves, a row of values vectors of 8 columns.
//
// A run of positions is taken in chunks, so that scores stay in L1: first all scores of the chunk,
// then their weights, then the values. While the keys are read the chunk's values are fetched, and
// while the values are read the next chunk's keys are. Memory then waits neither for the softmax in
// between nor for a prefetcher to find the other stream. At 16384 positions one Zen 5 core reads 38
// GB/s for one query (19 without; plain reads reach 42).
//
// Queries that read the same head share what is converted from F16, up to four together: 24 GB/s
// for four (12 when each converted its values alone), bound by 8 multiply-adds for 32 bytes at two
// a cycle. Each score sums columns in order and each output sums positions in order, whatever the
// queries are grouped with, so no result depends on its neighbours.
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

// Asks for the cache's lines before they are needed. The batch's are in the cache already.
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

// Scores of N queries for M tiles of 16 positions. A column adds to each of the 2 N M sums: with 8
// of them two multiply-adds a cycle can start although each takes 4. Fetches as many positions'
// values from `ahead` on.
template <int N, int M, class Element>
inline void score_tiles(const Element* k, const Element* ahead, const float* const* q, int head_dim,
                        __m256 scale, float (*score)[kAttentionChunk], int column) {
    const auto dim = static_cast<std::size_t>(head_dim);
    __m256 sum[N][2 * M];
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < 2 * M; ++j) {
            sum[i][j] = _mm256_setzero_ps();
        }
    }
    for (std::size_t c = 0; c < dim; ++c) {
        for (std::size_t j = 0; j < (M + 1) / 2; ++j) {
            fetch(ahead + c * kTileRows * M + 32 * j);
        }
        __m256 key[2 * M];
        for (int j = 0; j < 2 * M; ++j) {
            key[j] = load(k + (static_cast<std::size_t>(j / 2) * dim + c) * kTileRows +
                          static_cast<std::size_t>(j % 2) * 8);
        }
        for (int i = 0; i < N; ++i) {
            const __m256 value = _mm256_set1_ps(q[i][c]);
            for (int j = 0; j < 2 * M; ++j) {
                sum[i][j] = _mm256_fmadd_ps(key[j], value, sum[i][j]);
            }
        }
    }
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < 2 * M; ++j) {
            _mm256_storeu_ps(&score[i][column + 8 * j], _mm256_mul_ps(sum[i][j], scale));
        }
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

// Adds weight[i][p] v[p] for n positions to M vectors of N queries' outputs, which stay in
// registers meanwhile: N M is 8, for the same reason. `ahead` is the next chunk of keys, of which
// the columns of the values fetch their share.
template <int N, int M, class Element>
inline void add_columns(const float (*weight)[kAttentionChunk], int first, int n, const Element* v,
                        std::size_t stride, const Element* ahead, float* const* out,
                        std::size_t c) {
    __m256 sum[N][M];
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < M; ++j) {
            sum[i][j] = _mm256_loadu_ps(out[i] + c + 8 * j);
        }
    }
    v += static_cast<std::size_t>(first) * stride + c;
    ahead += c * kAttentionChunk + 8 * M * static_cast<std::size_t>(first);
    for (int p = first; p < first + n; ++p, v += stride, ahead += 8 * M) {
        for (int j = 0; j < (M + 3) / 4; ++j) {
            fetch(ahead + 32 * j);
        }
        __m256 value[M];
        for (int j = 0; j < M; ++j) {
            value[j] = load(v + 8 * j);
        }
        for (int i = 0; i < N; ++i) {
            const __m256 w = _mm256_set1_ps(weight[i][p]);
            for (int j = 0; j < M; ++j) {
                sum[i][j] = _mm256_fmadd_ps(w, value[j], sum[i][j]);
            }
        }
    }
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < M; ++j) {
            _mm256_storeu_ps(out[i] + c + 8 * j, sum[i][j]);
        }
    }
}

// Positions [first, first + n) of the chunk for N queries; what is left of an odd head size goes
// one column at a time, rounded as the lanes do.
template <int N, class Element>
inline void add_values(const float (*weight)[kAttentionChunk], int first, int n,
                       const Element* values, std::size_t stride, const Element* ahead,
                       std::size_t n_columns, float* const* out) {
    constexpr int kWide = 8 / N;
    std::size_t c = 0;
    for (; c + 8 * kWide <= n_columns; c += 8 * kWide) {
        add_columns<N, kWide>(weight, first, n, values, stride, ahead, out, c);
    }
    for (; c + 8 <= n_columns; c += 8) {
        add_columns<N, 1>(weight, first, n, values, stride, ahead, out, c);
    }
    for (; c < n_columns; ++c) {
        for (int i = 0; i < N; ++i) {
            __m128 sum = _mm_set_ss(out[i][c]);
            for (int p = first; p < first + n; ++p) {
                const float value = load_one(values + static_cast<std::size_t>(p) * stride + c);
                sum = _mm_fmadd_ss(_mm_set_ss(weight[i][p]), _mm_set_ss(value), sum);
            }
            out[i][c] = _mm_cvtss_f32(sum);
        }
    }
}

inline void scale_row(float* row, int n, float factor) {
    int c = 0;
    for (; c + 8 <= n; c += 8) {
        _mm256_storeu_ps(row + c, _mm256_mul_ps(_mm256_loadu_ps(row + c), _mm256_set1_ps(factor)));
    }
    for (; c < n; ++c) {
        row[c] *= factor;
    }
}

// Scores of all queries for a chunk's tiles; a query alone takes four tiles at once, two take two.
template <class Element>
inline void score_chunk(const Attention& task, const Element* keys, const Element* values,
                        int n_tiles, State& state) {
    const auto tile_size = static_cast<std::size_t>(task.spec.head_dim) * kTileRows;
    const __m256 scale = _mm256_set1_ps(task.spec.scale);
    const auto run = [&]<int N, int M>(int tile, int i) {
        const std::size_t at = static_cast<std::size_t>(tile) * tile_size;
        score_tiles<N, M>(keys + at, values + at, task.q + i, task.spec.head_dim, scale,
                          state.score + i, tile * kTileRows);
    };
    int tile = 0;
    for (; tile < n_tiles && task.n_queries >= 4; ++tile) {
        int i = 0;
        for (; i + 4 <= task.n_queries; i += 4) {
            run.template operator()<4, 1>(tile, i);
        }
        for (; i < task.n_queries; ++i) {
            run.template operator()<1, 1>(tile, i);
        }
    }
    for (; tile + 4 <= n_tiles && task.n_queries == 1; tile += 4) {
        run.template operator()<1, 4>(tile, 0);
    }
    for (; tile + 2 <= n_tiles && task.n_queries >= 2; tile += 2) {
        run.template operator()<2, 2>(tile, 0);
        if (task.n_queries == 3) {
            run.template operator()<1, 2>(tile, 2);
        }
    }
    for (; tile < n_tiles; ++tile) {
        for (int i = 0; i < task.n_queries; ++i) {
            run.template operator()<1, 1>(tile, i);
        }
    }
}

// Adds n[i] positions to query i. N queries share what all of them see.
template <int N, class Element>
inline void add_shared(const float (*weight)[kAttentionChunk], const int* n, const Element* values,
                       std::size_t stride, const Element* ahead, std::size_t n_columns,
                       float* const* out) {
    int shared = n[0];
    for (int k = 1; k < N; ++k) {
        shared = n[k] < shared ? n[k] : shared;
    }
    add_values<N>(weight, 0, shared, values, stride, ahead, n_columns, out);
    for (int k = 0; k < N && N > 1; ++k) {
        if (n[k] > shared) {
            add_values<1>(weight + k, shared, n[k] - shared, values, stride, ahead, n_columns,
                          out + k);
        }
    }
}

template <class Element>
inline void add_to_all(const State& state, int n_queries, const int* n, const Element* values,
                       std::size_t stride, const Element* ahead, std::size_t n_columns,
                       float* const* out) {
    int i = 0;
    for (; i + 4 <= n_queries; i += 4) {
        add_shared<4>(state.score + i, n + i, values, stride, ahead, n_columns, out + i);
    }
    for (; i + 2 <= n_queries; i += 2) {
        add_shared<2>(state.score + i, n + i, values, stride, ahead, n_columns, out + i);
    }
    for (; i < n_queries; ++i) {
        add_shared<1>(state.score + i, n + i, values, stride, ahead, n_columns, out + i);
    }
}

// A chunk's values: `count` rows, n[i] of them for query i.
inline void add_chunk(const Attention& task, const State& state, const int* n, int /*count*/,
                      const std::uint16_t* values, std::size_t stride, const std::uint16_t* ahead) {
    add_to_all(state, task.n_queries, n, values, stride, ahead,
               static_cast<std::size_t>(task.spec.head_dim), task.out);
}
// A batch's rows often lie a multiple of 4 KB apart, all in the same set of L1: some columns at a
// time are copied together first, 8 queries x 400 positions in 19 us instead of 23.
inline void add_chunk(const Attention& task, const State& state, const int* n, int count,
                      const float* values, std::size_t stride, const float* ahead) {
    constexpr std::size_t kColumns = 64;
    const auto dim = static_cast<std::size_t>(task.spec.head_dim);
    alignas(64) float together[kAttentionChunk * kColumns];
    for (std::size_t c = 0; c < dim; c += kColumns) {
        const std::size_t n_columns = dim - c < kColumns ? dim - c : kColumns;
        for (std::size_t p = 0; p < static_cast<std::size_t>(count); ++p) {
            std::size_t j = 0;
            for (; j + 16 <= n_columns; j += 16) {
                const float* from = values + p * stride + c + j;
                _mm256_store_ps(together + p * kColumns + j, _mm256_loadu_ps(from));
                _mm256_store_ps(together + p * kColumns + j + 8, _mm256_loadu_ps(from + 8));
            }
            for (; j < n_columns; ++j) {
                together[p * kColumns + j] = values[p * stride + c + j];
            }
        }
        float* out[kAttentionQueries];
        for (int i = 0; i < task.n_queries; ++i) {
            out[i] = task.out[i] + c;
        }
        add_to_all(state, task.n_queries, n, together, kColumns, ahead, n_columns, out);
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
        const Element* k = keys + static_cast<std::size_t>(first) * dim;
        const Element* v = values + static_cast<std::size_t>(first) * stride;
        const Element* next = first + kAttentionChunk < most_valid ? k + kAttentionChunk * dim : k;
        score_chunk(task, k, v, (count + kTileRows - 1) / kTileRows, state);
        int n[kAttentionQueries];
        for (int i = 0; i < task.n_queries; ++i) {
            const int left = n_valid[i] - first;
            n[i] = left < 0 ? 0 : left < count ? left : count;
            if (n[i] > 0) {
                if (const float rescale = weigh(state, i, n[i]); rescale != 1.0F) {
                    scale_row(task.out[i], task.spec.head_dim, rescale);
                }
            }
        }
        add_chunk(task, state, n, count, v, stride, next);
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
        for (int c = 0; c < task.spec.head_dim; ++c) {
            task.out[i][c] = 0;
        }
    }
    attend(task, task.k, task.v, static_cast<std::size_t>(task.spec.head_dim), n_cached, state);
    attend(task, task.k_batch, task.v_batch, task.v_batch_stride, task.n_batch, state);
    for (int i = 0; i < task.n_queries; ++i) {
        if (task.largest != nullptr) {
            task.largest[i] = state.largest[i];
            task.total[i] = state.total[i];
        } else {
            scale_row(task.out[i], task.spec.head_dim, 1.0F / state.total[i]);
        }
    }
}

}  // namespace hearth::kernels::avx2
