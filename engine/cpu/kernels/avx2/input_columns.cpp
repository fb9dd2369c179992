// Products of the inputs that are kept (kernels/input_columns.h). 16 columns are read side by side,
// as in avx512/.
//
// Without VNNI bytes are multiplied nibble by nibble, so that pairs of products stay within 16
// bits.
#include <immintrin.h>

#include <cstring>

#include "cpu/kernels/avx2/functions.h"

namespace hearth::kernels::avx2 {
namespace {

constexpr int kQuadsAtOnce = 4;

inline __m256i load_half(const std::byte* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
}

// Sums of four products of nibbles (0 to 15) and signed bytes, times factor.
inline __m256i dot(__m256i nibbles, __m256i q, int factor) {
    return _mm256_madd_epi16(_mm256_maddubs_epi16(nibbles, q),
                             _mm256_set1_epi16(static_cast<short>(factor)));
}

template <CodeKind codes>
void columns(const ColumnProduct& task) {
    constexpr bool kNibbles = codes == CodeKind::Bits4;
    constexpr int kLineOutputs = kNibbles ? 128 : 64;
    constexpr int kSums = kNibbles ? 8 : 4;  // of 8 outputs, 16 apart
    constexpr int kHalf = 32;
    const std::size_t bytes = column_bytes(codes, task.width);
    const std::size_t block_bytes = column_block_bytes(codes, task.width);
    const __m256i low = _mm256_set1_epi8(15);
    for (int b = task.first_block; b < task.last_block; ++b) {
        const std::byte* scales = task.w + static_cast<std::size_t>(b) * block_bytes;
        const std::byte* block = scales + 2 * task.width;
        const InputQuad* quads = task.quads + b * kBlockQuads;
        const __m256 d = _mm256_set1_ps(task.d[b]);
        __m256i offset = _mm256_set1_epi32(kNibbles ? task.offset[b] : 16 * task.offset[b]);
        int n = 0;
        for (int first = 0; first < task.counts[b]; first += n) {
            // Passes take equal numbers of inputs, because each costs a look at every sum and
            // scale.
            const int left = task.counts[b] - first;
            const int n_passes = (left + kQuadsAtOnce - 1) / kQuadsAtOnce;
            n = (left + n_passes - 1) / n_passes;
            const std::byte* lines[kQuadsAtOnce][4];
            __m256i q[kQuadsAtOnce];
            for (int i = 0; i < n; ++i) {
                const InputQuad& quad = quads[first + i];
                std::int32_t values;
                std::memcpy(&values, quad.q, sizeof values);
                q[i] = _mm256_set1_epi32(values);
                for (int k = 0; k < 4; ++k) {
                    lines[i][k] = block + quad.input[k] * bytes;
                }
            }
            for (std::size_t at = 0; at < bytes; at += kHalf) {
                __m256i sum[kSums];
                for (__m256i& one : sum) {
                    one = offset;
                }
                for (int i = 0; i < n; ++i) {
                    const __m256i w0 = load_half(lines[i][0] + at);
                    const __m256i w1 = load_half(lines[i][1] + at);
                    const __m256i w2 = load_half(lines[i][2] + at);
                    const __m256i w3 = load_half(lines[i][3] + at);
                    const __m256i low01 = _mm256_unpacklo_epi8(w0, w1);
                    const __m256i high01 = _mm256_unpackhi_epi8(w0, w1);
                    const __m256i low23 = _mm256_unpacklo_epi8(w2, w3);
                    const __m256i high23 = _mm256_unpackhi_epi8(w2, w3);
                    const __m256i w[4] = {_mm256_unpacklo_epi16(low01, low23),
                                          _mm256_unpackhi_epi16(low01, low23),
                                          _mm256_unpacklo_epi16(high01, high23),
                                          _mm256_unpackhi_epi16(high01, high23)};
                    for (int m = 0; m < 4; ++m) {
                        const __m256i first_nibbles = _mm256_and_si256(w[m], low);
                        const __m256i second_nibbles =
                            _mm256_and_si256(_mm256_srli_epi16(w[m], 4), low);
                        __m256i& second_sum = sum[kNibbles ? m + 4 : m];
                        sum[m] = _mm256_add_epi32(sum[m], dot(first_nibbles, q[i], 1));
                        second_sum = _mm256_add_epi32(second_sum,
                                                      dot(second_nibbles, q[i], kNibbles ? 1 : 16));
                    }
                }
                // A half line holds 8 of every 16 outputs.
                const std::size_t output =
                    at / kColumnLine * kLineOutputs + (at % kColumnLine == 0 ? 0 : 8);
                for (std::size_t m = 0; m < kSums; ++m) {
                    float* y = task.y + output + 16 * m;
                    const __m256 scale = _mm256_cvtph_ps(_mm_loadu_si128(
                        reinterpret_cast<const __m128i*>(scales + 2 * output + 32 * m)));
                    _mm256_storeu_ps(
                        y, _mm256_fmadd_ps(_mm256_cvtepi32_ps(sum[m]), _mm256_mul_ps(scale, d),
                                           _mm256_loadu_ps(y)));
                }
            }
            offset = _mm256_setzero_si256();
        }
    }
}

}  // namespace

void columns_q8_0(const ColumnProduct& task) {
    columns<CodeKind::Bits8>(task);
}
void columns_q4_0(const ColumnProduct& task) {
    columns<CodeKind::Bits4>(task);
}

}  // namespace hearth::kernels::avx2
