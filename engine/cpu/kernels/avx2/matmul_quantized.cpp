// Q4_0 and Q8_0 weights times quantised activations without VNNI: vpmaddubsw multiplies unsigned by
// signed bytes and adds pairs into 16 bits. A tile's 16 rows are two halves of 8 lanes.
// Registers at 4 tokens: 8 weights + 1 scale + 4 sums + 3 temporaries = 16 of 16.
#include <immintrin.h>

#include <cstring>

#include "cpu/kernels/avx2/functions.h"

namespace hearth::kernels::avx2 {
namespace {

constexpr int kPanelBytes = 256 * 1024;

inline std::int32_t load_dword(const std::int8_t* p) {
    std::int32_t value;
    std::memcpy(&value, p, 4);
    return value;
}

// dot() returns the exact int32 dot products of 8 rows with 32 activations, the offset taken off.
struct Q4Block {
    static constexpr int kBytes = kTileRows * 18;
    static void load(const std::uint8_t* q, __m256i w[8]) {
        const __m256i low = _mm256_set1_epi8(15);
        for (int g = 0; g < 4; ++g) {
            const __m256i both = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(q + g * 64));
            w[g] = _mm256_and_si256(both, low);
            w[g + 4] = _mm256_and_si256(_mm256_srli_epi16(both, 4), low);
        }
    }
    // A pair is at most 2 * 15 * 127 = 3810, eight of them 30480: no 16-bit sum overflows, so the
    // widening to 32 bits is done once a block.
    template <int kStep>
    static __m256i dot(const __m256i w[8], const std::int8_t* x, std::int32_t offset) {
        __m256i pairs = _mm256_maddubs_epi16(w[0], _mm256_set1_epi32(load_dword(x)));
        for (int g = 1; g < 8; ++g) {
            pairs = _mm256_add_epi16(
                pairs, _mm256_maddubs_epi16(w[g], _mm256_set1_epi32(load_dword(x + kStep * g))));
        }
        return _mm256_add_epi32(_mm256_madd_epi16(pairs, _mm256_set1_epi16(1)),
                                _mm256_set1_epi32(offset));
    }
};

struct Q8Block {
    static constexpr int kBytes = kTileRows * 34;
    static void load(const std::uint8_t* q, __m256i w[8]) {
        const __m256i bias = _mm256_set1_epi8(-128);
        for (int g = 0; g < 8; ++g) {
            // Back to signed: offset bytes up to 255 would overflow the 16-bit pairs.
            w[g] = _mm256_xor_si256(
                _mm256_loadu_si256(reinterpret_cast<const __m256i*>(q + g * 64)), bias);
        }
    }
    // |w| unsigned (128 fits) times x with w's sign (x is never -128): a pair is at most
    // 2 * 128 * 127 = 32512.
    template <int kStep>
    static __m256i dot(const __m256i w[8], const std::int8_t* x, std::int32_t /*offset*/) {
        const __m256i ones = _mm256_set1_epi16(1);
        __m256i sum = _mm256_setzero_si256();
        for (int g = 0; g < 8; ++g) {
            const __m256i values = _mm256_set1_epi32(load_dword(x + kStep * g));
            const __m256i pairs =
                _mm256_maddubs_epi16(_mm256_abs_epi8(w[g]), _mm256_sign_epi8(values, w[g]));
            sum = _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, ones));
        }
        return sum;
    }
};

// Lanes of a half tile that hold rows of the matrix.
inline __m256i row_mask(int n_rows) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(n_rows), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

// Half a tile, 8 rows, times N tokens.
template <class Block, int W>
inline void half_times_tokens(const std::byte* tile, int half, const std::byte* x, int n_tokens,
                              int cols, float* y, std::size_t y_stride, int n_rows) {
    constexpr int N = W;
    const int n_blocks = cols / kBlockValues;
    __m256 sum[N];
    for (int t = 0; t < N; ++t) {
        sum[t] = _mm256_setzero_ps();
    }
    for (int b = 0; b < n_blocks; ++b) {
        const std::byte* block = tile + static_cast<std::size_t>(b) * Block::kBytes;
        const __m256 scale =
            _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(block + 16 * half)));
        __m256i w[8];
        Block::load(reinterpret_cast<const std::uint8_t*>(block + 2 * kTileRows + 32 * half), w);
        for (int t = 0; t < N; ++t) {
            const std::byte* group =
                x + static_cast<std::size_t>(b) * activation_block_bytes(W) + 4 * t;
            const auto* q = reinterpret_cast<const std::int8_t*>(group);
            const auto* d = reinterpret_cast<const float*>(group + kBlockValues * W);
            const auto* offset = reinterpret_cast<const std::int32_t*>(d + W);
            const __m256i dot = Block::template dot<4 * W>(w, q, *offset);
            sum[t] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(dot),
                                     _mm256_mul_ps(scale, _mm256_set1_ps(*d)), sum[t]);
        }
    }
    for (int t = 0; t < N && t < n_tokens; ++t) {
        _mm256_maskstore_ps(y + static_cast<std::size_t>(t) * y_stride, row_mask(n_rows), sum[t]);
    }
}

template <class Block>
void matmul(const Matmul& task) {
    const std::size_t tile_bytes =
        static_cast<std::size_t>(task.cols / kBlockValues) * Block::kBytes;
    const int width = group_width(task.n_tokens);
    const int fit = kPanelBytes / static_cast<int>(activation_group_bytes(task.cols, 1) + 1);
    const int panel = fit < 4 ? 4 : fit / 4 * 4;
    for (int first_token = 0; first_token < task.n_tokens; first_token += panel) {
        const int last_token =
            task.n_tokens - first_token < panel ? task.n_tokens : first_token + panel;
        for (int first = task.first_row; first < task.last_row; first += 8) {
            const std::byte* tile =
                task.w + static_cast<std::size_t>(first / kTileRows) * tile_bytes;
            const int half = first % kTileRows / 8;
            for (int t = first_token; t < last_token; t += width) {
                const std::byte* x = task.x + static_cast<std::size_t>(t / width) * task.x_stride;
                float* y = task.y + static_cast<std::size_t>(t) * task.y_stride + first;
                if (width == 1) {
                    half_times_tokens<Block, 1>(tile, half, x, 1, task.cols, y, task.y_stride,
                                                task.last_row - first);
                } else {
                    half_times_tokens<Block, 4>(tile, half, x, last_token - t, task.cols, y,
                                                task.y_stride, task.last_row - first);
                }
            }
        }
    }
}

}  // namespace

void matmul_q8_0(const Matmul& task) {
    matmul<Q8Block>(task);
}
void matmul_q4_0(const Matmul& task) {
    matmul<Q4Block>(task);
}

}  // namespace hearth::kernels::avx2
