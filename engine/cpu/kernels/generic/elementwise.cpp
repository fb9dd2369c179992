#include <cmath>

#include "base/half.h"
#include "cpu/kernels/generic/functions.h"

namespace hearth::kernels::generic {

void quantize_blocks(const float* x, std::byte* blocks, int width, int token, int n_blocks) {
    const auto w = static_cast<std::size_t>(width);
    const auto t = static_cast<std::size_t>(token);
    for (int b = 0; b < n_blocks; ++b, x += kBlockValues, blocks += activation_block_bytes(width)) {
        auto* q = reinterpret_cast<std::int8_t*>(blocks);
        auto* d = reinterpret_cast<float*>(blocks + w * kBlockValues);
        auto* offset = reinterpret_cast<std::int32_t*>(d + w);
        float largest = 0;
        for (int i = 0; i < kBlockValues; ++i) {
            largest = std::fmax(largest, std::fabs(x[i]));
        }
        d[t] = largest / 127.0F;
        const float inverse = largest > 0 ? 127.0F / largest : 0.0F;
        int sum = 0;
        for (std::size_t i = 0; i < kBlockValues; ++i) {
            const float scaled = std::nearbyint(x[i] * inverse);
            // A NaN compares false both ways and becomes 0; so does everything beside an infinity.
            const int value = scaled >= -127.0F && scaled <= 127.0F ? static_cast<int>(scaled) : 0;
            q[(i / 4 * w + t) * 4 + i % 4] = static_cast<std::int8_t>(value);
            sum += value;
        }
        offset[t] = -8 * sum;
    }
}

void to_half(const float* x, std::uint16_t* y, int n) {
    for (int i = 0; i < n; ++i) {
        y[i] = float_to_half(x[i]);
    }
}

void rms_norm(const float* x, const float* weight, float eps, float* y, int n) {
    float sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * x[i];
    }
    const float scale = 1.0F / std::sqrt(sum / static_cast<float>(n) + eps);
    for (int i = 0; i < n; ++i) {
        y[i] = x[i] * scale * weight[i];
    }
}

void add_vector(const float* x, float* y, int n) {
    for (int i = 0; i < n; ++i) {
        y[i] += x[i];
    }
}

void silu_mul(const float* gate, const float* up, float* y, int n) {
    for (int i = 0; i < n; ++i) {
        y[i] = gate[i] / (1.0F + std::exp(-gate[i])) * up[i];
    }
}

void sigmoid_mul(const float* gate, const float* up, float* y, int n) {
    for (int i = 0; i < n; ++i) {
        y[i] = up[i] / (1.0F + std::exp(-gate[i]));
    }
}

// 0.5 x (1 + tanh(u)) is x / (1 + e^(-2 u)); u = sqrt(2 / pi) (x + 0.044715 x^3).
void gelu_mul(const float* gate, const float* up, float* y, int n) {
    for (int i = 0; i < n; ++i) {
        const float x = gate[i];
        const float twice_u = x * (1.59576912F + 0.0713548163F * x * x);
        y[i] = x / (1.0F + std::exp(-twice_u)) * up[i];
    }
}

void relu_mul(const float* gate, const float* up, float* y, int n) {
    for (int i = 0; i < n; ++i) {
        y[i] = gate[i] > 0 ? gate[i] * up[i] : 0.0F;
    }
}

void drelu_mul(const float* gate, const float* up, float* y, int n) {
    for (int i = 0; i < n; ++i) {
        y[i] = gate[i] > 0 && up[i] > 0 ? gate[i] * up[i] : 0.0F;
    }
}

}  // namespace hearth::kernels::generic
