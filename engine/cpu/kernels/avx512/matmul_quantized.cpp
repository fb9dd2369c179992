// Q4_0 and Q8_0 weights times quantised activations, with VNNI.
//
// One packed block is 16 rows x 32 columns: eight registers of 16 lanes x 4 columns, so eight
// vpdpbusd with a broadcast dword of activations give 16 exact int32 dot products. Scaling them
// costs one conversion, one multiplication and one fused multiply-add: 8 of 10 instructions on the
// two multiplier ports do the work the limit is computed from.
//
// A batch runs over two tiles at a time, whose weights were first spread out into bytes: 32 rows x
// 512 columns = 18 KB stay in L1 while all tokens of a panel pass over them, so unpacking costs
// 1/40 of the products, and the inner loop is the same for every type. Four tokens times two tiles
// are 8 integer and 8 float sums: with 4 cycles of latency and two multipliers eight chains keep
// both busy, and a broadcast serves two of them, so that a block takes 58 loads in the time of 80
// multiplications.
#include <immintrin.h>

#include <cstring>

#include "cpu/kernels/avx512/functions.h"

namespace hearth::kernels::avx512 {
namespace {

constexpr int kPartBlocks = 512 / kBlockValues;
// A span of a panel, 128 tokens x 2048 columns = 320 KB, stays in the core's own L2 (1 MB here, 512
// KB on smaller ones) while all tiles pass over it. Between spans sums wait in y: a float stored
// and loaded is the same float, so no cut changes a result.
constexpr int kSpanBlocks = 4096 / kBlockValues;
constexpr int kPanelTokens = 128;
// How far ahead one token fetches Q4_0: twice what a core is delivered in the 100 ns that memory
// takes. The 1B shape decodes 93 instead of 85 tokens/s with it; Q8_0, whose bytes need less work,
// 53 instead of 55.
constexpr std::size_t kAheadBytes = 8192;

struct Q4Block {
    static constexpr int kBytes = kTileRows * 18;
    static constexpr bool kFetchesAhead = true;
    static constexpr int kOffsetShift = 0;
    static void load(const std::uint8_t* q, __m512i w[8]) {
        const __m512i low = _mm512_set1_epi8(15);
        for (int g = 0; g < 4; ++g) {
            const __m512i both = _mm512_loadu_si512(q + g * 64);
            w[g] = _mm512_and_si512(both, low);
            w[g + 4] = _mm512_and_si512(_mm512_srli_epi16(both, 4), low);
        }
    }
};

struct Q8Block {
    static constexpr int kBytes = kTileRows * 34;
    static constexpr bool kFetchesAhead = false;
    static constexpr int kOffsetShift = 4;
    static void load(const std::uint8_t* q, __m512i w[8]) {
        for (int g = 0; g < 8; ++g) {
            w[g] = _mm512_loadu_si512(q + g * 64);
        }
    }
};

inline __m512 load_scales(const std::byte* block) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(block)));
}

inline __m512i broadcast_dword(const std::byte* p) {
    std::int32_t value;
    std::memcpy(&value, p, 4);
    return _mm512_set1_epi32(value);
}

inline __m512 broadcast_float(const std::byte* p) {
    float value;
    std::memcpy(&value, p, 4);
    return _mm512_set1_ps(value);
}

inline __mmask16 row_mask(int n_rows) {
    if (n_rows >= kTileRows) {
        return 0xFFFF;
    }
    return n_rows <= 0 ? static_cast<__mmask16>(0) : static_cast<__mmask16>((1U << n_rows) - 1U);
}

// A block of one tile, spread out.
struct alignas(64) WideBlock {
    float scale[kTileRows];
    std::uint8_t q[8][64];
};

template <class Block>
inline void spread(const std::byte* block, WideBlock& wide) {
    __m512i w[8];
    Block::load(reinterpret_cast<const std::uint8_t*>(block + 2 * kTileRows), w);
    _mm512_store_ps(wide.scale, load_scales(block));
    for (int g = 0; g < 8; ++g) {
        _mm512_store_si512(wide.q[g], w[g]);
    }
}

// Sums of R tiles and one group of tokens.
template <int R>
struct alignas(64) GroupSums {
    float value[kTokenGroup][R][kTileRows];
};

// n_blocks blocks of R tiles times one group of tokens, added to `sums`.
template <int kOffsetShift, int R>
inline void tiles_times_group(const WideBlock* wide, int n_blocks, const std::byte* x,
                              GroupSums<R>& sums) {
    constexpr int N = kTokenGroup;
    __m512 sum[N][R];
    for (int t = 0; t < N; ++t) {
        for (int r = 0; r < R; ++r) {
            sum[t][r] = _mm512_load_ps(sums.value[t][r]);
        }
    }
    for (int b = 0; b < n_blocks; ++b, wide += R, x += activation_block_bytes(N)) {
        __m512i dot[N][R];
#pragma GCC unroll 4
        for (int t = 0; t < N; ++t) {
            __m512i offset = broadcast_dword(x + (kBlockValues + 4) * N + 4 * t);
            if constexpr (kOffsetShift != 0) {
                offset = _mm512_slli_epi32(offset, kOffsetShift);
            }
            for (int r = 0; r < R; ++r) {
                dot[t][r] = offset;
            }
        }
#pragma GCC unroll 8
        for (int g = 0; g < 8; ++g) {
            __m512i w[R];
            for (int r = 0; r < R; ++r) {
                w[r] = _mm512_load_si512(wide[r].q[g]);
            }
#pragma GCC unroll 4
            for (int t = 0; t < N; ++t) {
                const __m512i values = broadcast_dword(x + (g * N + t) * 4);
                for (int r = 0; r < R; ++r) {
                    dot[t][r] = _mm512_dpbusd_epi32(dot[t][r], w[r], values);
                }
            }
        }
        __m512 scale[R];
        for (int r = 0; r < R; ++r) {
            scale[r] = _mm512_load_ps(wide[r].scale);
        }
#pragma GCC unroll 4
        for (int t = 0; t < N; ++t) {
            const __m512 d = broadcast_float(x + kBlockValues * N + 4 * t);
            for (int r = 0; r < R; ++r) {
                sum[t][r] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(dot[t][r]),
                                            _mm512_mul_ps(scale[r], d), sum[t][r]);
            }
        }
    }
    for (int t = 0; t < N; ++t) {
        for (int r = 0; r < R; ++r) {
            _mm512_store_ps(sums.value[t][r], sum[t][r]);
        }
    }
}

// Brings the weights that come next from memory to L2 while the present ones are multiplied, a
// share with each group of tokens: without it spreading waits for memory, which a small batch has
// nothing to hide behind.
template <int R>
class Prefetch {
public:
    Prefetch(const std::byte* first, std::size_t tile_bytes, int bytes, int n_steps)
        : next_(reinterpret_cast<const char*>(first)),
          tile_bytes_(tile_bytes),
          left_(bytes),
          share_((bytes + n_steps - 1) / n_steps + 63) {}

    void step() {
        const int end = left_ < share_ ? 0 : left_ - share_;
        for (; left_ > end; left_ -= 64, next_ += 64) {
            for (int r = 0; r < R; ++r) {
                _mm_prefetch(next_ + static_cast<std::size_t>(r) * tile_bytes_, _MM_HINT_T1);
            }
        }
    }

private:
    const char* next_;
    std::size_t tile_bytes_;
    int left_;
    int share_;
};

// What one core works on at a time: blocks [first_block, last_block) and tokens
// [first_token, last_token), first_token a multiple of the group's width.
struct Window {
    int first_block, last_block;
    int first_token, last_token;
};

// The window of R tiles from `row` on, added to y unless it has the first block.
template <class Block, int R>
void tiles_times_window(const Matmul& task, int row, const Window& window) {
    const std::size_t tile_bytes =
        static_cast<std::size_t>(task.cols / kBlockValues) * Block::kBytes;
    const int n_tokens = window.last_token - window.first_token;
    WideBlock wide[kPartBlocks * R];
    GroupSums<R> sums[kPanelTokens / kTokenGroup];
    __mmask16 mask[R];
    for (int r = 0; r < R; ++r) {
        mask[r] = row_mask(task.last_row - row - r * kTileRows);
    }
    float* y = task.y + static_cast<std::size_t>(window.first_token) * task.y_stride + row;
    const auto for_results = [&](auto&& visit) {
        for (int t = 0; t < n_tokens; ++t) {
            for (int r = 0; r < R; ++r) {
                visit(y + static_cast<std::size_t>(t) * task.y_stride + r * kTileRows, mask[r],
                      sums[t / kTokenGroup].value[t % kTokenGroup][r]);
            }
        }
    };
    for_results([&](const float* result, __mmask16 rows, float* sum) {
        _mm512_store_ps(sum, window.first_block == 0 ? _mm512_setzero_ps()
                                                     : _mm512_maskz_loadu_ps(rows, result));
    });
    for (int first = window.first_block; first < window.last_block; first += kPartBlocks) {
        const int count =
            window.last_block - first < kPartBlocks ? window.last_block - first : kPartBlocks;
        for (int r = 0; r < R; ++r) {
            const std::byte* block = task.w +
                                     static_cast<std::size_t>(row / kTileRows + r) * tile_bytes +
                                     static_cast<std::size_t>(first) * Block::kBytes;
            for (int b = 0; b < count; ++b, block += Block::kBytes) {
                spread<Block>(block, wide[b * R + r]);
            }
        }
        // What comes next: this tile's next part, or the first part of the tiles after these.
        const bool last_part = first + count == window.last_block;
        const int next_row = last_part ? row + R * kTileRows : row;
        const int next_block = last_part ? window.first_block : first + count;
        Prefetch<R> prefetch(task.w + static_cast<std::size_t>(next_row / kTileRows) * tile_bytes +
                                 static_cast<std::size_t>(next_block) * Block::kBytes,
                             tile_bytes, next_row < task.last_row ? kPartBlocks * Block::kBytes : 0,
                             (n_tokens + kTokenGroup - 1) / kTokenGroup);
        for (int t = 0; t < n_tokens; t += kTokenGroup) {
            const std::byte* x =
                task.x +
                static_cast<std::size_t>((window.first_token + t) / kTokenGroup) * task.x_stride +
                static_cast<std::size_t>(first) * activation_block_bytes(kTokenGroup);
            prefetch.step();
            tiles_times_group<Block::kOffsetShift, R>(wide, count, x, sums[t / kTokenGroup]);
        }
    }
    for_results([&](float* result, __mmask16 rows, const float* sum) {
        _mm512_mask_storeu_ps(result, rows, _mm512_load_ps(sum));
    });
}

template <class Block>
void batch(const Matmul& task) {
    const int n_blocks = task.cols / kBlockValues;
    Window window{};
    for (; window.first_token < task.n_tokens; window.first_token = window.last_token) {
        window.last_token = task.n_tokens - window.first_token < kPanelTokens
                                ? task.n_tokens
                                : window.first_token + kPanelTokens;
        window.first_block = 0;
        for (; window.first_block < n_blocks; window.first_block = window.last_block) {
            window.last_block = n_blocks - window.first_block < kSpanBlocks
                                    ? n_blocks
                                    : window.first_block + kSpanBlocks;
            int row = task.first_row;
            for (; row + kTileRows < task.last_row; row += 2 * kTileRows) {
                tiles_times_window<Block, 2>(task, row, window);
            }
            if (row < task.last_row) {
                tiles_times_window<Block, 1>(task, row, window);
            }
        }
    }
}

// One token: whole tiles in the order of memory, one stream a core (two and four streams were
// slower here). Two chains of four vpdpbusd: one chain of eight is 32 cycles a block, more than the
// out-of-order window hides (48 against 62 GB/s of Q4_0 on two cores whose reads reach 75).
template <class Block>
void single(const Matmul& task) {
    const int n_blocks = task.cols / kBlockValues;
    const std::byte* block = task.w + static_cast<std::size_t>(task.first_row / kTileRows) *
                                          static_cast<std::size_t>(n_blocks) * Block::kBytes;
    for (int row = task.first_row; row < task.last_row; row += kTileRows) {
        __m512 sum = _mm512_setzero_ps();
        const std::byte* x = task.x;
        for (int b = 0; b < n_blocks; ++b, block += Block::kBytes, x += activation_block_bytes(1)) {
            __m512i w[8];
            Block::load(reinterpret_cast<const std::uint8_t*>(block + 2 * kTileRows), w);
            for (int line = 0; line < Block::kBytes && Block::kFetchesAhead; line += 64) {
                _mm_prefetch(reinterpret_cast<const char*>(block) + kAheadBytes + line,
                             _MM_HINT_T0);
            }
            __m512i even = broadcast_dword(x + kBlockValues + 4);
            if constexpr (Block::kOffsetShift != 0) {
                even = _mm512_slli_epi32(even, Block::kOffsetShift);
            }
            __m512i odd = _mm512_setzero_si512();
            for (int g = 0; g < 8; g += 2) {
                even = _mm512_dpbusd_epi32(even, w[g], broadcast_dword(x + 4 * g));
                odd = _mm512_dpbusd_epi32(odd, w[g + 1], broadcast_dword(x + 4 * g + 4));
            }
            sum = _mm512_fmadd_ps(
                _mm512_cvtepi32_ps(_mm512_add_epi32(even, odd)),
                _mm512_mul_ps(load_scales(block), broadcast_float(x + kBlockValues)), sum);
        }
        _mm512_mask_storeu_ps(task.y + row, row_mask(task.last_row - row), sum);
    }
}

template <class Block>
void matmul(const Matmul& task) {
    if (task.n_tokens == 1) {
        single<Block>(task);
    } else {
        batch<Block>(task);
    }
}

}  // namespace

void matmul_q8_0(const Matmul& task) {
    matmul<Q8Block>(task);
}
void matmul_q4_0(const Matmul& task) {
    matmul<Q4Block>(task);
}

}  // namespace hearth::kernels::avx512
