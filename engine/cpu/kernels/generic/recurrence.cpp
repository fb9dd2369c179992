#include <cmath>

#include "cpu/kernels/generic/functions.h"

namespace hearth::kernels::generic {

void delta_net(const DeltaNet& task) {
    constexpr std::size_t kColumns = kStatePanel;
    const auto key_dim = static_cast<std::size_t>(task.key_dim);
    for (std::size_t t = 0; t < static_cast<std::size_t>(task.n_tokens); ++t) {
        const float* q = task.q + t * task.qk_stride;
        const float* k = task.k + t * task.qk_stride;
        const float decay = task.decay[t * task.gate_stride];
        const float beta = task.beta[t * task.gate_stride];
        for (std::size_t c = 0; c < kColumns; ++c) {
            float known = 0;
            for (std::size_t i = 0; i < key_dim; ++i) {
                float& state = task.state[i * kColumns + c];
                state *= decay;
                known += k[i] * state;
            }
            const float change = beta * (task.v[t * task.v_stride + c] - known);
            float out = 0;
            for (std::size_t i = 0; i < key_dim; ++i) {
                float& state = task.state[i * kColumns + c];
                state += k[i] * change;
                out += q[i] * state;
            }
            task.out[t * task.out_stride + c] = out;
        }
    }
}

void state_space(const DeltaNet& task) {
    const auto columns = static_cast<std::size_t>(task.columns);
    const auto key_dim = static_cast<std::size_t>(task.key_dim);
    for (std::size_t t = 0; t < static_cast<std::size_t>(task.n_tokens); ++t) {
        const float* q = task.q + t * task.qk_stride;
        const float* k = task.k + t * task.qk_stride;
        const float decay = task.decay[t * task.gate_stride];
        const float beta = task.beta[t * task.gate_stride];
        for (std::size_t c = 0; c < columns; ++c) {
            const float change = beta * task.v[t * task.v_stride + c];
            float out = 0;
            for (std::size_t i = 0; i < key_dim; ++i) {
                float& state = task.state[i * columns + c];
                state = decay * state + k[i] * change;
                out += q[i] * state;
            }
            task.out[t * task.out_stride + c] = out;
        }
    }
}

void short_conv(const ShortConv& task) {
    for (int i = 0; i < task.n; ++i) {
        const float* taps = task.taps + i;
        float sum = task.bias != nullptr ? task.bias[i] : 0;
        for (int j = 0; j < task.kernel; ++j) {
            sum += taps[static_cast<std::size_t>(j) * task.stride] * task.rows[j][i];
        }
        task.y[i] = task.gate != nullptr ? task.gate[i] * sum : sum / (1.0F + std::exp(-sum));
    }
}

}  // namespace hearth::kernels::generic
