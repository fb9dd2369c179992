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

int n_panels(const DeltaNetSpec& of) {
    return of.n_value_heads * (of.value_dim / kernels::kStatePanel);
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
    const Inputs inputs{scratch_.mixed, heads_.v, heads_.k};
    const std::size_t panel_floats = size(of.key_dim) * kernels::kStatePanel;
    pool_.run(n_panels(of), [&](int index, int worker) {
        float* state = panel_of(task.past, task.layer, index);
        if (task.each_alone) {
            float* copy = scratch_.panels + size(worker) * panel_floats;
            std::copy_n(state, panel_floats, copy);
            state = copy;
        }
        pass_panel(state, of, inputs, index, task.n_tokens);
    });
    if (task.each_alone) {
        put_ahead(task);
    } else {
        conv_.keep(task.layer, inputs_of(task), {0, of.conv_width()}, task.n_tokens);
    }
}

void CpuDeltaNet::put_ahead(const HeadsTask& task) const {
    const DeltaNetSpec& of = net(task.layer);
    const AheadPlaces places = ahead_places(layers_[size(task.layer)]);
    float* ahead = task.past.cpu.ahead(task.layer);
    const std::size_t n = size(task.n_tokens);
    conv_.put_ahead(task.layer, inputs_of(task), {0, of.conv_width()}, task.n_tokens, ahead);
    std::copy_n(scratch_.mixed, n * size(of.conv_width()), ahead + places.mixed);
    std::copy_n(heads_.v, n * size(of.n_value_heads), ahead + places.decay);
    std::copy_n(heads_.k, n * size(of.n_value_heads), ahead + places.beta);
}

void CpuDeltaNet::take_ahead(Past& past, int layer, const Snapshots::Taking& tokens) {
    const DeltaNetSpec& of = net(layer);
    const AheadPlaces places = ahead_places(layers_[size(layer)]);
    const std::size_t width = size(of.conv_width());
    const float* ahead = past.cpu.ahead(layer);
    const std::size_t channels = size(tokens.first) * width;
    const std::size_t gates = size(tokens.first) * size(of.n_value_heads);
    const Inputs inputs{ahead + places.mixed + channels, ahead + places.decay + gates,
                        ahead + places.beta + gates};
    pool_.run(n_panels(of), [&](int index, int) {
        pass_panel(panel_of(past, layer, index), of, inputs, index, tokens.count);
    });
    conv_.keep(layer, {ahead + channels, width, past.cpu.state(layer)}, {0, of.conv_width()},
               tokens.count);
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

// All panels of the states lie one behind the other.
float* CpuDeltaNet::panel_of(Past& past, int layer, int index) const {
    return past.cpu.state(layer) + conv_state_floats(layers_[size(layer)]) +
           size(index) * size(net(layer).key_dim) * kernels::kStatePanel;
}

void CpuDeltaNet::pass_panel(float* state, const DeltaNetSpec& of, const Inputs& inputs, int index,
                             int n_tokens) const {
    const auto width = size(of.conv_width());
    const std::size_t value = size(index) * kernels::kStatePanel;
    const int head = index / (of.value_dim / kernels::kStatePanel);
    const std::size_t key = size(of.key_head_of(head)) * size(of.key_dim);
    table_.delta_net({.state = state,
                      .q = inputs.mixed + key,
                      .k = inputs.mixed + size(of.key_width()) + key,
                      .v = inputs.mixed + size(2 * of.key_width()) + value,
                      .qk_stride = width,
                      .v_stride = width,
                      .decay = inputs.decay + head,
                      .beta = inputs.beta + head,
                      .gate_stride = size(of.n_value_heads),
                      .out = heads_.attended + value,
                      .out_stride = size(of.value_width()),
                      .key_dim = of.key_dim,
                      .n_tokens = n_tokens});
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
