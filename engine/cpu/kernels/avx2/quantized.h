// The walks over a matrix of quantised weights, which avx2 and avxvnni share. The two differ in
// their Kernel. Everything is in an unnamed namespace, because an inline function that folders
// share might be linked in a form that the processor lacks.
//
// A Kernel has
//   kBytes        of a packed block
//   kPartBlocks   most blocks of a part
//   Weights       a tile's part in the form its batch loop wants
//   expand(tile's part, n_blocks, weights)
//   multiply(weights, x of a group, n_blocks, sums)    adds to the sums
//   dot(q, x)     8 rows' exact products of a block and one token, from the packed bytes of a half
#pragma once

#include <immintrin.h>

#include <cstring>

#include "cpu/kernels/kernels.h"

namespace hearth::kernels::avx2 {
namespace {

// Tokens of a panel: its part of the activations, 64 groups x 32 blocks x 160 bytes = 320 KB, stays
// in L2 while all tiles pass over it.
constexpr int kPanelTokens = 256;

inline __m256i load_bytes(const void* p) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(p));
}
inline void store_bytes(void* p, __m256i v) {
    _mm256_store_si256(static_cast<__m256i*>(p), v);
}
inline __m256i spread_dword(const std::byte* p) {
    std::int32_t value;
    std::memcpy(&value, p, 4);
    return _mm256_set1_epi32(value);
}
inline __m256 spread_float(const std::byte* p) {
    return _mm256_broadcast_ss(reinterpret_cast<const float*>(p));
}
inline __m256 load_scales(const std::byte* block, int half) {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(block + 16 * half)));
}
// The lower half's bytes of a column group; the upper half's are 32 bytes on.
inline const std::byte* packed_group(const std::byte* block, int g) {
    return block + 2 * kTileRows + 4 * kTileRows * g;
}

// Lanes of half a tile that hold rows of the matrix.
inline __m256i row_mask(int n_rows) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(n_rows), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

// Hides a sum from the optimiser. GCC otherwise regroups eight additions into a tree, which keeps
// all their terms at once. The batch loop then runs from the stack, at a third of its speed.
inline void keep(__m256i& v) {
#ifdef __GNUC__
    __asm__("" : "+x"(v));
#else
    static_cast<void>(v);
#endif
}

// A block of activations of a group W wide.
template <int W>
struct Activations {
    const std::byte* at;
    __m256i values(int g, int t) const { return spread_dword(at + 4 * (g * W + t)); }
    __m256 d(int t) const { return spread_float(at + 4 * (8 * W + t)); }
    __m256i offset(int t) const { return spread_dword(at + 4 * (9 * W + t)); }
};

// sum + dot * (scale * d), in this order everywhere, so that a token alone gives the same bits.
inline __m256 add_scaled(__m256i dot, __m256 scale, __m256 d, __m256 sum) {
    return _mm256_fmadd_ps(_mm256_cvtepi32_ps(dot), _mm256_mul_ps(scale, d), sum);
}

// Sums of a token group and a tile. They stay in L1 during the batch loop, since the 16 registers
// hold its integer sums; a load and a store a block cost less than broadcasting every value twice.
struct alignas(64) GroupSums {
    float of[kTokenGroup][kTileRows];

    void add(int t, int half, __m256i dot, __m256 scale, __m256 d) {
        float* sum = of[t] + 8 * half;
        _mm256_store_ps(sum, add_scaled(dot, scale, d, _mm256_load_ps(sum)));
    }
};

inline void load_sums(const float* y, std::size_t y_stride, int n_tokens, int n_rows,
                      GroupSums& sums) {
    for (int t = 0; t < n_tokens; ++t) {
        for (int half = 0; half < 2; ++half) {
            const float* from = y + static_cast<std::size_t>(t) * y_stride + 8 * half;
            _mm256_store_ps(sums.of[t] + 8 * half,
                            _mm256_maskload_ps(from, row_mask(n_rows - 8 * half)));
        }
    }
}

inline void store_sums(const GroupSums& sums, int n_tokens, int n_rows, float* y,
                       std::size_t y_stride) {
    for (int t = 0; t < n_tokens; ++t) {
        for (int half = 0; half < 2; ++half) {
            float* to = y + static_cast<std::size_t>(t) * y_stride + 8 * half;
            const __m256 v = _mm256_load_ps(sums.of[t] + 8 * half);
            if (n_rows >= kTileRows) {
                _mm256_storeu_ps(to, v);
            } else {
                _mm256_maskstore_ps(to, row_mask(n_rows - 8 * half), v);
            }
        }
    }
}

// For two tokens and more. Columns are cut into parts. A tile's part is expanded once into a buffer
// that stays in L1, and every token group of a panel passes over it. Between parts the sums are
// kept in y. A float that is stored and loaded is the same float, so neither parts nor panels
// change a result.
struct Window {
    int first_token, last_token;
    int block, n_blocks;
};

// Fetches the weights that come next from memory, a share of them with each token group. With 16
// tokens, which leave little time to wait in, 8 rows x 1 token x 32 columns take 7.2 cycles instead
// of 8.9 (Q4_0) and 11.8 instead of 16.3 (Q8_0).
class Fetch {
public:
    Fetch(const std::byte* first, int bytes, int n_tokens)
        : next_(reinterpret_cast<const char*>(first)),
          n_lines_(bytes / 64),
          share_(n_lines_ * kTokenGroup / n_tokens + 1) {}

    void step() {
        for (int i = 0; i < share_ && n_lines_ > 0; ++i, --n_lines_, next_ += 64) {
            _mm_prefetch(next_, _MM_HINT_T1);
        }
    }

private:
    const char* next_;
    int n_lines_;
    int share_;
};

// The tile of rows from `row` on.
template <class Kernel>
inline void multiply_tile(const Matmul& task, const Window& window, int row,
                          const typename Kernel::Weights& weights, Fetch fetch) {
    const int n_rows = task.last_row - row;
    for (int t = window.first_token; t < window.last_token; t += kTokenGroup) {
        const int left = window.last_token - t;
        const int n_tokens = left < kTokenGroup ? left : kTokenGroup;
        float* y = task.y + static_cast<std::size_t>(t) * task.y_stride + row;
        GroupSums sums{};
        if (window.block > 0) {
            load_sums(y, task.y_stride, n_tokens, n_rows, sums);
        }
        // Fetch the next group's rows of y. They often lie a multiple of 4 KB apart, so they share
        // a few sets of L1 and are gone again by the next part.
        for (int k = kTokenGroup; k < 2 * kTokenGroup && k < left; ++k) {
            _mm_prefetch(
                reinterpret_cast<const char*>(y + static_cast<std::size_t>(k) * task.y_stride),
                _MM_HINT_T0);
        }
        fetch.step();
        const std::byte* x =
            task.x + static_cast<std::size_t>(t / kTokenGroup) * task.x_stride +
            static_cast<std::size_t>(window.block) * activation_block_bytes(kTokenGroup);
        Kernel::multiply(weights, x, window.n_blocks, sums);
        store_sums(sums, n_tokens, n_rows, y, task.y_stride);
    }
}

template <class Kernel>
void multiply_window(const Matmul& task, const Window& window) {
    const int n_blocks = task.cols / kBlockValues;
    const auto part = [&](int row, int block) {
        return task.w +
               (static_cast<std::size_t>(row / kTileRows) * static_cast<std::size_t>(n_blocks) +
                static_cast<std::size_t>(block)) *
                   Kernel::kBytes;
    };
    const int next_block = window.block + window.n_blocks;
    typename Kernel::Weights weights;
    for (int row = task.first_row; row < task.last_row; row += kTileRows) {
        Kernel::expand(part(row, window.block), window.n_blocks, weights);
        const bool last_tile = row + kTileRows >= task.last_row;
        const Fetch fetch(
            last_tile ? part(task.first_row, next_block) : part(row + kTileRows, window.block),
            last_tile && next_block == n_blocks ? 0 : window.n_blocks * Kernel::kBytes,
            window.last_token - window.first_token);
        multiply_tile<Kernel>(task, window, row, weights, fetch);
    }
}

template <class Kernel>
void multiply_batch(const Matmul& task) {
    const int n_blocks = task.cols / kBlockValues;
    Window window{};
    for (; window.first_token < task.n_tokens; window.first_token = window.last_token) {
        const int n_tokens = task.n_tokens - window.first_token;
        window.last_token =
            n_tokens < kPanelTokens ? task.n_tokens : window.first_token + kPanelTokens;
        for (window.block = 0; window.block < n_blocks; window.block += window.n_blocks) {
            const int left = n_blocks - window.block;
            window.n_blocks = left < Kernel::kPartBlocks ? left : Kernel::kPartBlocks;
            multiply_window<Kernel>(task, window);
        }
    }
}

// How far ahead one token fetches weights: twice what one core is delivered in the 100 ns that
// memory takes. One Zen 5 core then takes weights at 94-103 % of the rate of plain reads; at 92 %
// with 6 KB, 84 with 3, 77 with 2 and 76 without. Two tiles at a time, two streams, are a quarter
// slower.
constexpr std::size_t kAheadBytes = 8192;

// For one token: takes tiles in the order of memory, straight from the packed bytes.
template <class Kernel>
void multiply_one(const Matmul& task) {
    const int n_blocks = task.cols / kBlockValues;
    const std::byte* block = task.w + static_cast<std::size_t>(task.first_row / kTileRows) *
                                          static_cast<std::size_t>(n_blocks) * Kernel::kBytes;
    for (int row = task.first_row; row < task.last_row; row += kTileRows) {
        Activations<1> x{task.x};
        __m256 sum[2] = {_mm256_setzero_ps(), _mm256_setzero_ps()};
        for (int b = 0; b < n_blocks;
             ++b, block += Kernel::kBytes, x.at += activation_block_bytes(1)) {
            for (std::size_t line = 0; line < Kernel::kBytes; line += 64) {
                _mm_prefetch(reinterpret_cast<const char*>(block) + kAheadBytes + line,
                             _MM_HINT_T0);
            }
            const __m256 d = x.d(0);
            for (int half = 0; half < 2; ++half) {
                sum[half] = add_scaled(Kernel::dot(packed_group(block, 0) + 32 * half, x),
                                       load_scales(block, half), d, sum[half]);
            }
        }
        for (int half = 0; half < 2; ++half) {
            _mm256_maskstore_ps(task.y + row + 8 * half, row_mask(task.last_row - row - 8 * half),
                                sum[half]);
        }
    }
}

template <class Kernel>
void multiply(const Matmul& task) {
    if (task.n_tokens == 1) {
        multiply_one<Kernel>(task);
    } else {
        multiply_batch<Kernel>(task);
    }
}

// ---- Q4_0 --------------------------------------------------------------------------------------

// 32 blocks: 18 KB of L1.
struct Q4Weights {
    static constexpr int kBytes = kTileRows * 18;
    static constexpr int kPartBlocks = 32;
    struct alignas(64) Weights {
        std::uint8_t q[kPartBlocks][8][2][32];
        float scale[kPartBlocks][2][8];
    };

    static __m256i low_nibbles(__m256i both) {
        return _mm256_and_si256(both, _mm256_set1_epi8(15));
    }
    static __m256i high_nibbles(__m256i both) { return low_nibbles(_mm256_srli_epi16(both, 4)); }

    static void expand(const std::byte* tile, int n_blocks, Weights& weights) {
        for (int b = 0; b < n_blocks; ++b, tile += kBytes) {
            for (int half = 0; half < 2; ++half) {
                _mm256_store_ps(weights.scale[b][half], load_scales(tile, half));
                for (int g = 0; g < 4; ++g) {
                    const __m256i both = load_bytes(packed_group(tile, g) + 32 * half);
                    store_bytes(weights.q[b][g][half], low_nibbles(both));
                    store_bytes(weights.q[b][g + 4][half], high_nibbles(both));
                }
            }
        }
    }
};

}  // namespace
}  // namespace hearth::kernels::avx2
