#include <immintrin.h>

#include "cpu/kernels/avx512/exp.h"
#include "cpu/kernels/avx512/functions.h"

namespace hearth::kernels::avx512 {
namespace {

// Lanes of the last, partial vector.
inline __mmask16 tail_mask(int left) {
    return left >= 16 ? static_cast<__mmask16>(0xFFFF) : static_cast<__mmask16>((1U << left) - 1U);
}

template <class Function>
inline void for_lanes(int n, Function&& function) {
    for (int i = 0; i < n; i += 16) {
        function(i, tail_mask(n - i));
    }
}

}  // namespace

void quantize_blocks(const float* x, std::byte* blocks, int width, int token, int n_blocks) {
    for (int b = 0; b < n_blocks; ++b, x += kBlockValues, blocks += activation_block_bytes(width)) {
        const __m512 low = _mm512_loadu_ps(x);
        const __m512 high = _mm512_loadu_ps(x + 16);
        const float largest =
            _mm512_reduce_max_ps(_mm512_max_ps(_mm512_abs_ps(low), _mm512_abs_ps(high)));
        const float inverse = largest > 0 ? 127.0F / largest : 0.0F;
        const __m512 factor = _mm512_set1_ps(inverse);
        const __m512 limit = _mm512_set1_ps(127.0F);
        const auto to_int = [&](__m512 v) {
            const __m512 scaled = _mm512_roundscale_ps(
                _mm512_mul_ps(v, factor), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
            // What is no number, or beside an infinity, becomes 0.
            const __mmask16 fine = _mm512_cmp_ps_mask(_mm512_abs_ps(scaled), limit, _CMP_LE_OQ);
            return _mm512_maskz_cvtps_epi32(fine, scaled);
        };
        const __m512i first = to_int(low);
        const __m512i second = to_int(high);
        const __m256i q =
            _mm256_set_m128i(_mm512_cvtepi32_epi8(second), _mm512_cvtepi32_epi8(first));
        if (width == 1) {
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(blocks), q);
        } else {  // eight stores: a scatter instruction takes twice as long
            alignas(32) std::int32_t groups[8];
            _mm256_store_si256(reinterpret_cast<__m256i*>(groups), q);
            auto* place = reinterpret_cast<std::int32_t*>(blocks) + token;
            for (int g = 0; g < 8; ++g) {
                place[g * width] = groups[g];
            }
        }
        auto* d = reinterpret_cast<float*>(blocks + width * kBlockValues) + token;
        auto* offset = reinterpret_cast<std::int32_t*>(d + width);
        *d = largest / 127.0F;
        *offset = -8 * _mm512_reduce_add_epi32(_mm512_add_epi32(first, second));
    }
}

void to_half(const float* x, std::uint16_t* y, int n) {
    for_lanes(n, [&](int i, __mmask16 mask) {
        _mm256_mask_storeu_epi16(
            y + i, mask,
            _mm512_cvtps_ph(_mm512_maskz_loadu_ps(mask, x + i), _MM_FROUND_TO_NEAREST_INT));
    });
}

void rms_norm(const float* x, const float* weight, float eps, float* y, int n) {
    __m512 squares = _mm512_setzero_ps();
    for_lanes(n, [&](int i, __mmask16 mask) {
        const __m512 v = _mm512_maskz_loadu_ps(mask, x + i);
        squares = _mm512_fmadd_ps(v, v, squares);
    });
    const float mean = _mm512_reduce_add_ps(squares) / static_cast<float>(n);
    const __m512 scale = _mm512_set1_ps(1.0F / _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(mean + eps))));
    for_lanes(n, [&](int i, __mmask16 mask) {
        const __m512 v = _mm512_mul_ps(_mm512_maskz_loadu_ps(mask, x + i), scale);
        _mm512_mask_storeu_ps(y + i, mask,
                              _mm512_mul_ps(v, _mm512_maskz_loadu_ps(mask, weight + i)));
    });
}

void add_vector(const float* x, float* y, int n) {
    for_lanes(n, [&](int i, __mmask16 mask) {
        _mm512_mask_storeu_ps(
            y + i, mask,
            _mm512_add_ps(_mm512_maskz_loadu_ps(mask, x + i), _mm512_maskz_loadu_ps(mask, y + i)));
    });
}

void silu_mul(const float* gate, const float* up, float* y, int n) {
    const __m512 one = _mm512_set1_ps(1.0F);
    for_lanes(n, [&](int i, __mmask16 mask) {
        const __m512 g = _mm512_maskz_loadu_ps(mask, gate + i);
        const __m512 divisor = _mm512_add_ps(one, exp_lanes(_mm512_sub_ps(_mm512_setzero_ps(), g)));
        _mm512_mask_storeu_ps(
            y + i, mask,
            _mm512_mul_ps(_mm512_div_ps(g, divisor), _mm512_maskz_loadu_ps(mask, up + i)));
    });
}

// 0.5 x (1 + tanh(u)) is x / (1 + e^(-2 u)); u = sqrt(2 / pi) (x + 0.044715 x^3).
void gelu_mul(const float* gate, const float* up, float* y, int n) {
    const __m512 one = _mm512_set1_ps(1.0F);
    const __m512 linear = _mm512_set1_ps(-1.59576912F);
    const __m512 cubic = _mm512_set1_ps(-0.0713548163F);
    for_lanes(n, [&](int i, __mmask16 mask) {
        const __m512 x = _mm512_maskz_loadu_ps(mask, gate + i);
        const __m512 power = _mm512_mul_ps(x, _mm512_fmadd_ps(cubic, _mm512_mul_ps(x, x), linear));
        const __m512 divisor = _mm512_add_ps(one, exp_lanes(power));
        _mm512_mask_storeu_ps(
            y + i, mask,
            _mm512_mul_ps(_mm512_div_ps(x, divisor), _mm512_maskz_loadu_ps(mask, up + i)));
    });
}

void relu_mul(const float* gate, const float* up, float* y, int n) {
    for_lanes(n, [&](int i, __mmask16 mask) {
        const __m512 g = _mm512_maskz_loadu_ps(mask, gate + i);
        const __mmask16 fires = _mm512_cmp_ps_mask(g, _mm512_setzero_ps(), _CMP_GT_OQ);
        _mm512_mask_storeu_ps(y + i, mask,
                              _mm512_maskz_mul_ps(fires, g, _mm512_maskz_loadu_ps(mask, up + i)));
    });
}

void drelu_mul(const float* gate, const float* up, float* y, int n) {
    for_lanes(n, [&](int i, __mmask16 mask) {
        const __m512 g = _mm512_maskz_loadu_ps(mask, gate + i);
        const __m512 u = _mm512_maskz_loadu_ps(mask, up + i);
        const __mmask16 fires =
            static_cast<__mmask16>(_mm512_cmp_ps_mask(g, _mm512_setzero_ps(), _CMP_GT_OQ) &
                                   _mm512_cmp_ps_mask(u, _mm512_setzero_ps(), _CMP_GT_OQ));
        _mm512_mask_storeu_ps(y + i, mask, _mm512_maskz_mul_ps(fires, g, u));
    });
}

}  // namespace hearth::kernels::avx512
