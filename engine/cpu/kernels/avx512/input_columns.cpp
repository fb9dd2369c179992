// Products of the inputs that are kept (kernels/input_columns.h), with VNNI.
//
// The columns of up to 16 inputs are read side by side, line by line, because the processor's
// prefetcher follows so many streams at once. Two cores here read every second of many runs of 6 KB
// at 51 GB/s that way and at 29 one after the other, where all of memory streams at 54. With all 32
// inputs of a block at once a product takes half as long again.
#include <immintrin.h>

#include <cstring>

#include "cpu/kernels/avx512/functions.h"

namespace hearth::kernels::avx512 {
namespace {

constexpr int kQuadsAtOnce = 4;

inline __m512i load_line(const std::byte* p) {
    return _mm512_loadu_si512(p);
}

template <CodeKind codes>
void columns(const ColumnProduct& task) {
    constexpr bool kNibbles = codes == CodeKind::Bits4;
    constexpr int kSums = kNibbles ? 8 : 4;  // of 16 outputs
    const std::size_t bytes = column_bytes(codes, task.width);
    const std::size_t block_bytes = column_block_bytes(codes, task.width);
    const __m512i low = _mm512_set1_epi8(15);
    for (int b = task.first_block; b < task.last_block; ++b) {
        const std::byte* scales = task.w + static_cast<std::size_t>(b) * block_bytes;
        const std::byte* block = scales + 2 * task.width;
        const InputQuad* quads = task.quads + b * kBlockQuads;
        const __m512 d = _mm512_set1_ps(task.d[b]);
        __m512i offset = _mm512_set1_epi32(kNibbles ? task.offset[b] : 16 * task.offset[b]);
        int n = 0;
        for (int first = 0; first < task.counts[b]; first += n) {
            // Passes take equal numbers of inputs, because each costs a look at every sum and
            // scale.
            const int left = task.counts[b] - first;
            const int n_passes = (left + kQuadsAtOnce - 1) / kQuadsAtOnce;
            n = (left + n_passes - 1) / n_passes;
            const std::byte* lines[kQuadsAtOnce][4];
            __m512i q[kQuadsAtOnce];
            for (int i = 0; i < n; ++i) {
                const InputQuad& quad = quads[first + i];
                std::int32_t values;
                std::memcpy(&values, quad.q, sizeof values);
                q[i] = _mm512_set1_epi32(values);
                for (int k = 0; k < 4; ++k) {
                    lines[i][k] = block + quad.input[k] * bytes;
                }
            }
            for (std::size_t at = 0; at < bytes; at += kColumnLine) {
                __m512i sum[kSums];
                for (__m512i& one : sum) {
                    one = offset;
                }
                for (int i = 0; i < n; ++i) {
                    const __m512i w0 = load_line(lines[i][0] + at);
                    const __m512i w1 = load_line(lines[i][1] + at);
                    const __m512i w2 = load_line(lines[i][2] + at);
                    const __m512i w3 = load_line(lines[i][3] + at);
                    const __m512i low01 = _mm512_unpacklo_epi8(w0, w1);
                    const __m512i high01 = _mm512_unpackhi_epi8(w0, w1);
                    const __m512i low23 = _mm512_unpacklo_epi8(w2, w3);
                    const __m512i high23 = _mm512_unpackhi_epi8(w2, w3);
                    const __m512i w[4] = {_mm512_unpacklo_epi16(low01, low23),
                                          _mm512_unpackhi_epi16(low01, low23),
                                          _mm512_unpacklo_epi16(high01, high23),
                                          _mm512_unpackhi_epi16(high01, high23)};
                    for (int m = 0; m < 4; ++m) {
                        if constexpr (kNibbles) {
                            sum[m] = _mm512_dpbusd_epi32(sum[m], _mm512_and_si512(w[m], low), q[i]);
                            sum[m + 4] = _mm512_dpbusd_epi32(
                                sum[m + 4], _mm512_and_si512(_mm512_srli_epi16(w[m], 4), low),
                                q[i]);
                        } else {
                            sum[m] = _mm512_dpbusd_epi32(sum[m], w[m], q[i]);
                        }
                    }
                }
                const std::size_t output = at / kColumnLine * kSums * 16;
                for (int m = 0; m < kSums; ++m) {
                    float* y = task.y + output + 16 * m;
                    const __m512 scale = _mm512_cvtph_ps(_mm256_loadu_si256(
                        reinterpret_cast<const __m256i*>(scales + 2 * output + 32 * m)));
                    _mm512_storeu_ps(
                        y, _mm512_fmadd_ps(_mm512_cvtepi32_ps(sum[m]), _mm512_mul_ps(scale, d),
                                           _mm512_loadu_ps(y)));
                }
            }
            offset = _mm512_setzero_si512();
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

}  // namespace hearth::kernels::avx512
