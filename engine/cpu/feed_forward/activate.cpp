#include "cpu/feed_forward/activate.h"

#include <cmath>

namespace hearth {

void activate(const kernels::KernelTable& table, const LayerSpec& spec, float* gate,
              const float* up, int n) {
    switch (spec.activation) {
        case Activation::SiluGated:
            return table.silu_mul(gate, up, gate, n);
        case Activation::GeluGated:
            return table.gelu_mul(gate, up, gate, n);
        case Activation::ReluGated:
            for (int i = 0; i < n && spec.relu_threshold > 0.0F; ++i) {
                gate[i] = gate[i] > spec.relu_threshold ? gate[i] : 0.0F;
            }
            return table.relu_mul(gate, up, gate, n);
        case Activation::DRelu:
            return table.drelu_mul(gate, up, gate, n);
        case Activation::Relu:
            for (int i = 0; i < n; ++i) {
                gate[i] = gate[i] > 0.0F ? gate[i] : 0.0F;
            }
            return;
        case Activation::ReluSquared:
            for (int i = 0; i < n; ++i) {
                gate[i] = gate[i] > 0.0F ? gate[i] * gate[i] : 0.0F;
            }
            return;
        case Activation::SiluClamped:
            for (int i = 0; i < n; ++i) {
                constexpr float kSlope = 1.702F;
                constexpr float kMost = 7.0F;
                const float x = gate[i] < kMost ? gate[i] : kMost;
                const float y = up[i] > kMost ? kMost : up[i] < -kMost ? -kMost : up[i];
                gate[i] = x / (1.0F + std::exp(-kSlope * x)) * (y + 1.0F);
            }
            return;
        case Activation::Gelu:
            for (int i = 0; i < n; ++i) {
                constexpr float kRoot = 0.7978845608F;  // of 2 / pi
                const float x = gate[i];
                gate[i] = 0.5F * x * (1.0F + std::tanh(kRoot * (x + 0.044715F * x * x * x)));
            }
            return;
    }
}

void add_up_bias(const kernels::KernelTable& table, const CpuLayer& layer, int first, int end,
                 float* up) {
    if (!layer.vectors[Role::UpBias].empty()) {
        table.add_vector(layer.vectors[Role::UpBias].data() + first, up, end - first);
    }
}

}  // namespace hearth
