#include <immintrin.h>

#include "cpu/kernels/avx2/functions.h"
#include "cpu/kernels/avx2/lanes.h"

namespace hearth::kernels::avx2 {
namespace {

template <class Function>
inline void for_lanes(int n, Function&& function) {
    for (int i = 0; i < n; i += 8) {
        function(i, lane_mask(n - i));
    }
}

inline __m256 absolute(__m256 v) {
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0F), v);
}

}  // namespace

void quantize_blocks(const float* x, std::byte* blocks, int width, int token, int n_blocks) {
    for (int b = 0; b < n_blocks; ++b, blocks += activation_block_bytes(width)) {
        __m256 v[4];
        __m256 most = _mm256_setzero_ps();
        for (int j = 0; j < 4; ++j) {
            v[j] = _mm256_loadu_ps(x + b * kBlockValues + 8 * j);
            most = _mm256_max_ps(absolute(v[j]), most);
        }
        const float largest = max_lanes(most);
        const __m256 factor = _mm256_set1_ps(largest > 0 ? 127.0F / largest : 0.0F);
        __m256i whole[4];
        __m256i sum = _mm256_setzero_si256();
        for (int j = 0; j < 4; ++j) {
            const __m256 scaled = _mm256_round_ps(_mm256_mul_ps(v[j], factor),
                                                  _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
            // What is no number, or beside an infinity, becomes 0.
            const __m256 fine = _mm256_cmp_ps(absolute(scaled), _mm256_set1_ps(127.0F), _CMP_LE_OQ);
            whole[j] = _mm256_cvtps_epi32(_mm256_and_ps(scaled, fine));
            sum = _mm256_add_epi32(sum, whole[j]);
        }
        // The packs work within 128-bit halves; the permutation puts the dwords back in order.
        const __m256i packed =
            _mm256_permutevar8x32_epi32(_mm256_packs_epi16(_mm256_packs_epi32(whole[0], whole[1]),
                                                           _mm256_packs_epi32(whole[2], whole[3])),
                                        _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
        alignas(32) std::int32_t groups[8];
        _mm256_store_si256(reinterpret_cast<__m256i*>(groups), packed);
        auto* place = reinterpret_cast<std::int32_t*>(blocks) + token;
        for (int g = 0; g < 8; ++g) {
            place[g * width] = groups[g];
        }
        __m128i s = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
        s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4E));
        s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0xB1));
        reinterpret_cast<float*>(place)[8 * width] = largest / 127.0F;
        place[9 * width] = -8 * _mm_cvtsi128_si32(s);
    }
}

void to_half(const float* x, std::uint16_t* y, int n) {
    int i = 0;
    for (; i + 8 <= n; i += 8) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(y + i),
                         _mm256_cvtps_ph(_mm256_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT));
    }
    for (; i < n; ++i) {
        y[i] = _cvtss_sh(x[i], _MM_FROUND_TO_NEAREST_INT);
    }
}

void rms_norm(const float* x, const float* weight, float eps, float* y, int n) {
    __m256 squares = _mm256_setzero_ps();
    for_lanes(n, [&](int i, __m256i mask) {
        const __m256 v = _mm256_maskload_ps(x + i, mask);
        squares = _mm256_fmadd_ps(v, v, squares);
    });
    const float mean = sum_lanes(squares) / static_cast<float>(n);
    const __m256 scale = _mm256_set1_ps(1.0F / _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(mean + eps))));
    for_lanes(n, [&](int i, __m256i mask) {
        const __m256 v = _mm256_mul_ps(_mm256_maskload_ps(x + i, mask), scale);
        _mm256_maskstore_ps(y + i, mask, _mm256_mul_ps(v, _mm256_maskload_ps(weight + i, mask)));
    });
}

void add_vector(const float* x, float* y, int n) {
    for_lanes(n, [&](int i, __m256i mask) {
        _mm256_maskstore_ps(
            y + i, mask,
            _mm256_add_ps(_mm256_maskload_ps(x + i, mask), _mm256_maskload_ps(y + i, mask)));
    });
}

void silu_mul(const float* gate, const float* up, float* y, int n) {
    const __m256 one = _mm256_set1_ps(1.0F);
    for_lanes(n, [&](int i, __m256i mask) {
        const __m256 g = _mm256_maskload_ps(gate + i, mask);
        const __m256 divisor = _mm256_add_ps(one, exp_lanes(_mm256_sub_ps(_mm256_setzero_ps(), g)));
        _mm256_maskstore_ps(
            y + i, mask,
            _mm256_mul_ps(_mm256_div_ps(g, divisor), _mm256_maskload_ps(up + i, mask)));
    });
}

// 0.5 x (1 + tanh(u)) is x / (1 + e^(-2 u)); u = sqrt(2 / pi) (x + 0.044715 x^3).
void gelu_mul(const float* gate, const float* up, float* y, int n) {
    const __m256 one = _mm256_set1_ps(1.0F);
    const __m256 linear = _mm256_set1_ps(-1.59576912F);
    const __m256 cubic = _mm256_set1_ps(-0.0713548163F);
    for_lanes(n, [&](int i, __m256i mask) {
        const __m256 x = _mm256_maskload_ps(gate + i, mask);
        const __m256 power = _mm256_mul_ps(x, _mm256_fmadd_ps(cubic, _mm256_mul_ps(x, x), linear));
        const __m256 divisor = _mm256_add_ps(one, exp_lanes(power));
        _mm256_maskstore_ps(
            y + i, mask,
            _mm256_mul_ps(_mm256_div_ps(x, divisor), _mm256_maskload_ps(up + i, mask)));
    });
}

void relu_mul(const float* gate, const float* up, float* y, int n) {
    for_lanes(n, [&](int i, __m256i mask) {
        const __m256 g = _mm256_maskload_ps(gate + i, mask);
        const __m256 fires = _mm256_cmp_ps(g, _mm256_setzero_ps(), _CMP_GT_OQ);
        const __m256 product = _mm256_mul_ps(g, _mm256_maskload_ps(up + i, mask));
        _mm256_maskstore_ps(y + i, mask, _mm256_and_ps(product, fires));
    });
}

void drelu_mul(const float* gate, const float* up, float* y, int n) {
    for_lanes(n, [&](int i, __m256i mask) {
        const __m256 zero = _mm256_setzero_ps();
        const __m256 g = _mm256_maskload_ps(gate + i, mask);
        const __m256 u = _mm256_maskload_ps(up + i, mask);
        const __m256 fires =
            _mm256_and_ps(_mm256_cmp_ps(g, zero, _CMP_GT_OQ), _mm256_cmp_ps(u, zero, _CMP_GT_OQ));
        _mm256_maskstore_ps(y + i, mask, _mm256_and_ps(_mm256_mul_ps(g, u), fires));
    });
}

}  // namespace hearth::kernels::avx2
