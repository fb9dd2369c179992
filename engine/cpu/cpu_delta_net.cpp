#include "cpu/cpu_delta_net.h"

#include <algorithm>
#include <cmath>

#include "model/past_shape.h"

namespace hearth {
namespace {

// Tokens whose convolution a task computes, of one head.
constexpr int kTokens = 16;

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

void CpuDeltaNet::set_up(const ModelSpec& spec, const Scratch& scratch,
                         const CpuAttention::Scratch& heads) {
    layers_ = spec.layers;
    scratch_ = scratch;
    heads_ = heads;
    for (const LayerSpec& layer : layers_) {
        // x / sqrt(mean(x^2) + eps / n) / sqrt(n) has length 1; queries are divided by sqrt(n) too.
        if (layer.is_delta_net()) {
            const int dim = layer.delta_net.key_dim;
            const float scale = 1.0F / std::sqrt(static_cast<float>(dim));
            std::fill_n(scratch.key_scale, dim, scale);
            std::fill_n(scratch.query_scale, dim, scale * scale);
        }
    }
}

CpuShortConv::Inputs CpuDeltaNet::inputs_of(const HeadsTask& task) const {
    return {heads_.q, size(net(task.layer).conv_width()), task.past.cpu.state(task.layer)};
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
    conv_.keep(task.layer, inputs_of(task), {0, of.conv_width()}, task.n_tokens);
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
    const float* scale = head < of.n_key_heads ? scratch_.query_scale : scratch_.key_scale;
    const float eps = layers_[size(task.layer)].norm.eps / static_cast<float>(dim);
    for (int t = first; t < first + count; ++t) {
        float* mixed = scratch_.mixed + size(t) * width + channel;
        conv_.mix(task.layer, inputs_of(task), {channel, dim}, t, nullptr, mixed);
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
    const std::size_t key = size(of.key_head_of(head)) * size(of.key_dim);
    const std::size_t value = size(head) * size(of.value_dim) + column;
    float* states = task.past.cpu.state(task.layer) + conv_state_floats(layers_[size(task.layer)]);
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
            const auto mul = of.sigmoid_gate ? table_.sigmoid_mul : table_.silu_mul;
            mul(gate + size(i) * dim, values, values, of.value_dim);
        }
    });
}

}  // namespace hearth
