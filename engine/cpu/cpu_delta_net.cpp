#include "cpu/cpu_delta_net.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "base/assert.h"
#include "model/past_shape.h"

namespace hearth {
namespace {

// Tokens whose convolution a task computes, of one head.
constexpr int kTokens = 16;
constexpr int kMostKernel = 16;

float sigmoid(float x) {
    return 1.0F / (1.0F + std::exp(-x));
}

// ln(1 + e^x); above 20 the 1 does not show.
float softplus(float x) {
    return x > 20.0F ? x : std::log1p(std::exp(x));
}

std::size_t size(int n) {
    return static_cast<std::size_t>(n);
}

}  // namespace

// A file has a row of taps a channel. The kernel reads neighbouring channels of one tap.
void CpuDeltaNet::set_up(const ModelSpec& spec, const CpuWeights& weights, const Scratch& scratch,
                         const CpuAttention::Scratch& heads) {
    layers_ = spec.layers;
    scratch_ = scratch;
    heads_ = heads;
    taps_.assign(layers_.size(), nullptr);
    float* place = scratch.taps;
    for (int layer = 0; layer < spec.n_layer(); ++layer) {
        const std::span<const float> taps = weights.vector(layer, Role::DeltaConv);
        if (taps.empty()) {
            continue;
        }
        const DeltaNetSpec& of = net(layer);
        HEARTH_ASSERT(of.conv_kernel <= kMostKernel);
        const auto kernel = size(of.conv_kernel);
        const auto width = size(of.conv_width());
        for (std::size_t c = 0; c < width; ++c) {
            for (std::size_t j = 0; j < kernel; ++j) {
                place[j * width + c] = taps[c * kernel + j];
            }
        }
        taps_[size(layer)] = place;
        place += kernel * width;
        // x / sqrt(mean(x^2) + eps / n) / sqrt(n) has length 1; queries are divided by sqrt(n) too.
        const float scale = 1.0F / std::sqrt(static_cast<float>(of.key_dim));
        std::fill_n(scratch.key_scale, of.key_dim, scale);
        std::fill_n(scratch.query_scale, of.key_dim, scale * scale);
    }
}

void CpuDeltaNet::run(const HeadsTask& task, const CpuLayer& weights) {
    const DeltaNetSpec& of = net(task.layer);
    const int n_heads = 2 * of.n_key_heads + of.n_value_heads;
    pool_.run(n_heads * ((task.n_tokens + kTokens - 1) / kTokens), [&](int index, int) {
        const int first = index / n_heads * kTokens;
        mix(task, weights, index % n_heads, first, std::min(kTokens, task.n_tokens - first));
    });
    const int n_panels = of.value_dim / kernels::kStatePanel;
    pool_.run(of.n_value_heads * n_panels,
              [&](int index, int) { pass_panel(task, index / n_panels, index % n_panels); });
    keep_inputs(task);
}

// Convolves the channels of a head: queries' first, then keys', then values'.
void CpuDeltaNet::mix(const HeadsTask& task, const CpuLayer& weights, int head, int first,
                      int count) {
    const DeltaNetSpec& of = net(task.layer);
    const int value_head = head - 2 * of.n_key_heads;
    const bool of_value = value_head >= 0;
    const int dim = of_value ? of.value_dim : of.key_dim;
    const std::size_t channel =
        of_value ? size(2 * of.key_width() + value_head * dim) : size(head * dim);
    const std::size_t width = size(of.conv_width());
    const int n_before = of.conv_kernel - 1;
    const float* before = task.past.cpu.state(task.layer) + channel;
    const float* scale = head < of.n_key_heads ? scratch_.query_scale : scratch_.key_scale;
    const float eps = layers_[size(task.layer)].norm.eps / static_cast<float>(dim);
    for (int t = first; t < first + count; ++t) {
        std::array<const float*, kMostKernel> rows{};
        for (int j = 0; j < of.conv_kernel; ++j) {
            const int from = t - n_before + j;
            rows[size(j)] = from < 0 ? before + size(n_before + from) * width
                                     : heads_.q + size(from) * width + channel;
        }
        float* mixed = scratch_.mixed + size(t) * width + channel;
        table_.short_conv(rows.data(), taps_[size(task.layer)] + channel, width, of.conv_kernel,
                          mixed, dim);
        if (!of_value) {
            table_.rms_norm(mixed, scale, eps, mixed, dim);
        }
    }
    if (of_value) {
        gates(of, weights, value_head, first, count);
    }
}

// k becomes beta and v the decay.
void CpuDeltaNet::gates(const DeltaNetSpec& of, const CpuLayer& weights, int head, int first,
                        int count) {
    const float dt = weights.vectors[Role::DeltaDt][size(head)];
    const float a = weights.vectors[Role::DeltaA][size(head)];
    for (int t = first; t < first + count; ++t) {
        const std::size_t at = size(t) * size(of.n_value_heads) + size(head);
        heads_.k[at] = sigmoid(heads_.k[at]);
        heads_.v[at] = std::exp(a * softplus(heads_.v[at] + dt));
    }
}

void CpuDeltaNet::pass_panel(const HeadsTask& task, int head, int panel) {
    const DeltaNetSpec& of = net(task.layer);
    const auto width = size(of.conv_width());
    const std::size_t column = size(panel) * kernels::kStatePanel;
    const std::size_t key = size(head % of.n_key_heads) * size(of.key_dim);
    const std::size_t value = size(head) * size(of.value_dim) + column;
    float* states = task.past.cpu.state(task.layer) + conv_state_floats(of);
    table_.delta_net({.state = states + value * size(of.key_dim),
                      .q = scratch_.mixed + key,
                      .k = scratch_.mixed + size(of.key_width()) + key,
                      .v = scratch_.mixed + size(2 * of.key_width()) + value,
                      .qk_stride = width,
                      .v_stride = width,
                      .decay = heads_.v + head,
                      .beta = heads_.k + head,
                      .gate_stride = size(of.n_value_heads),
                      .out = heads_.attended + value,
                      .out_stride = size(of.value_width()),
                      .key_dim = of.key_dim,
                      .n_tokens = task.n_tokens});
}

void CpuDeltaNet::keep_inputs(const HeadsTask& task) {
    const DeltaNetSpec& of = net(task.layer);
    const auto width = size(of.conv_width());
    const auto n_before = size(of.conv_kernel - 1);
    const auto n_new = std::min(n_before, size(task.n_tokens));
    float* kept = task.past.cpu.state(task.layer);
    std::memmove(kept, kept + n_new * width, (n_before - n_new) * width * sizeof(float));
    std::memcpy(kept + (n_before - n_new) * width, heads_.q + (size(task.n_tokens) - n_new) * width,
                n_new * width * sizeof(float));
}

void CpuDeltaNet::finish(int layer, const CpuLayer& weights, const float* gate, int n_tokens) {
    const DeltaNetSpec& of = net(layer);
    const int n_heads = n_tokens * of.n_value_heads;
    const float eps = layers_[size(layer)].norm.eps;
    const auto dim = size(of.value_dim);
    const int step = std::max(1, of.n_value_heads / 4);
    pool_.run((n_heads + step - 1) / step, [&](int index, int) {
        for (int i = index * step; i < std::min(n_heads, (index + 1) * step); ++i) {
            float* values = heads_.attended + size(i) * dim;
            table_.rms_norm(values, weights.vectors[Role::DeltaNorm].data(), eps, values,
                            of.value_dim);
            table_.silu_mul(gate + size(i) * dim, values, values, of.value_dim);
        }
    });
}

}  // namespace hearth
