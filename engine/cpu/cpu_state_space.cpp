#include "cpu/cpu_state_space.h"

#include <algorithm>
#include <cmath>

#include "model/past_shape.h"

namespace hearth {
namespace {

// A task of the convolution computes these.
constexpr int kTokens = 16;
constexpr int kChannels = 256;

// ln(1 + e^x); above 20 the 1 does not show.
float softplus(float x) {
    return x > 20.0F ? x : std::log1p(std::exp(x));
}

std::size_t size(int n) {
    return static_cast<std::size_t>(n);
}

int n_panels(const StateSpaceSpec& of) {
    return (of.head_dim + kernels::kStatePanel - 1) / kernels::kStatePanel;
}

}  // namespace

void CpuStateSpace::set_up(const ModelSpec& spec, const Scratch& scratch,
                           const CpuAttention::Scratch& heads) {
    layers_ = spec.layers;
    scratch_ = scratch;
    heads_ = heads;
}

void CpuStateSpace::run(const HeadsTask& task, const CpuLayer& weights) {
    const StateSpaceSpec& of = state_space(task.layer);
    const int n_parts = (of.conv_width() + kChannels - 1) / kChannels;
    pool_.run(n_parts * ((task.n_tokens + kTokens - 1) / kTokens), [&](int index, int) {
        const int first = index / n_parts * kTokens;
        mix(task, weights, index % n_parts, first, std::min(kTokens, task.n_tokens - first));
    });
    const Inputs inputs{scratch_.mixed, heads_.v, heads_.k};
    const std::size_t room = size(of.state_dim) * kernels::kStatePanel;
    pool_.run(of.n_heads * n_panels(of), [&](int index, int worker) {
        Panel panel = panel_of(task.past, task.layer, index);
        if (task.each_alone) {
            float* copy = scratch_.panels + size(worker) * room;
            std::copy_n(panel.state, panel.floats, copy);
            panel.state = copy;
        }
        add_skipped(weights, panel, pass_panel(panel, of, inputs, task.n_tokens));
    });
    if (task.each_alone) {
        put_ahead(task);
    } else {
        conv_.keep(task.layer, inputs_of(task), {0, of.conv_width()}, task.n_tokens);
    }
}

CpuShortConv::Inputs CpuStateSpace::inputs_of(const HeadsTask& task) const {
    return {heads_.q, size(state_space(task.layer).conv_width()), task.past.cpu.state(task.layer)};
}

void CpuStateSpace::put_ahead(const HeadsTask& task) const {
    const StateSpaceSpec& of = state_space(task.layer);
    const AheadPlaces places = ahead_places(layers_[size(task.layer)]);
    float* ahead = task.past.cpu.ahead(task.layer);
    const std::size_t n = size(task.n_tokens);
    conv_.put_ahead(task.layer, inputs_of(task), {0, of.conv_width()}, task.n_tokens, ahead);
    std::copy_n(scratch_.mixed, n * size(of.conv_width()), ahead + places.mixed);
    std::copy_n(heads_.v, n * size(of.n_heads), ahead + places.decay);
    std::copy_n(heads_.k, n * size(of.n_heads), ahead + places.beta);
}

void CpuStateSpace::take_ahead(Past& past, int layer, const Snapshots::Taking& tokens) {
    const StateSpaceSpec& of = state_space(layer);
    const AheadPlaces places = ahead_places(layers_[size(layer)]);
    const std::size_t width = size(of.conv_width());
    const float* ahead = past.cpu.ahead(layer);
    const std::size_t channels = size(tokens.first) * width;
    const std::size_t gates = size(tokens.first) * size(of.n_heads);
    const Inputs inputs{ahead + places.mixed + channels, ahead + places.decay + gates,
                        ahead + places.beta + gates};
    pool_.run(of.n_heads * n_panels(of), [&](int index, int) {
        pass_panel(panel_of(past, layer, index), of, inputs, tokens.count);
    });
    conv_.keep(layer, {ahead + channels, width, past.cpu.state(layer)}, {0, of.conv_width()},
               tokens.count);
}

// A task has kChannels channels; the first part also makes the tokens' steps and decays.
void CpuStateSpace::mix(const HeadsTask& task, const CpuLayer& weights, int part, int first,
                        int count) {
    const StateSpaceSpec& of = state_space(task.layer);
    const auto width = size(of.conv_width());
    const CpuShortConv::Channels channels{size(part * kChannels),
                                          std::min(kChannels, of.conv_width() - part * kChannels)};
    for (int t = first; t < first + count; ++t) {
        conv_.mix(task.layer, inputs_of(task), channels, t, nullptr,
                  scratch_.mixed + size(t) * width + channels.first);
        if (part == 0) {
            steps(of, weights, t);
        }
    }
}

// k becomes dt and v the decay.
void CpuStateSpace::steps(const StateSpaceSpec& of, const CpuLayer& weights, int token) {
    float* dt = heads_.k + size(token) * size(of.n_heads);
    float* decay = heads_.v + size(token) * size(of.n_heads);
    for (std::size_t head = 0; head < size(of.n_heads); ++head) {
        dt[head] = softplus(dt[head] + weights.vectors[Role::DeltaDt][head]);
        decay[head] = std::exp(weights.vectors[Role::DeltaA][head] * dt[head]);
    }
}

CpuStateSpace::Panel CpuStateSpace::panel_of(Past& past, int layer, int index) const {
    const StateSpaceSpec& of = state_space(layer);
    Panel panel{.head = index / n_panels(of), .first = index % n_panels(of) * kernels::kStatePanel};
    panel.columns = std::min(kernels::kStatePanel, of.head_dim - panel.first);
    panel.floats = size(panel.columns) * size(of.state_dim);
    panel.state = past.cpu.state(layer) + conv_state_floats(layers_[size(layer)]) +
                  size(panel.head * of.head_dim + panel.first) * size(of.state_dim);
    return panel;
}

kernels::DeltaNet CpuStateSpace::pass_panel(const Panel& panel, const StateSpaceSpec& of,
                                            const Inputs& inputs, int n_tokens) const {
    const auto width = size(of.conv_width());
    const std::size_t value = size(panel.head * of.head_dim + panel.first);
    const std::size_t group = size(panel.head / (of.n_heads / of.n_groups) * of.state_dim);
    const std::size_t b = size(of.width()) + group;
    const kernels::DeltaNet pass{.state = panel.state,
                                 .q = inputs.mixed + b + size(of.n_groups * of.state_dim),
                                 .k = inputs.mixed + b,
                                 .v = inputs.mixed + value,
                                 .qk_stride = width,
                                 .v_stride = width,
                                 .decay = inputs.decay + panel.head,
                                 .beta = inputs.steps + panel.head,
                                 .gate_stride = size(of.n_heads),
                                 .out = heads_.attended + value,
                                 .out_stride = size(of.width()),
                                 .key_dim = of.state_dim,
                                 .n_tokens = n_tokens,
                                 .columns = panel.columns};
    table_.state_space(pass);
    return pass;
}

void CpuStateSpace::add_skipped(const CpuLayer& weights, const Panel& panel,
                                const kernels::DeltaNet& pass) const {
    const float skip = weights.vectors[Role::StateSkip][size(panel.head)];
    for (std::size_t t = 0; t < size(pass.n_tokens); ++t) {
        for (std::size_t c = 0; c < size(panel.columns); ++c) {
            pass.out[t * pass.out_stride + c] += skip * pass.v[t * pass.v_stride + c];
        }
    }
}

void CpuStateSpace::finish(int layer, const CpuLayer& weights, const float* gate, int n_tokens) {
    const StateSpaceSpec& of = state_space(layer);
    const float eps = layers_[size(layer)].norm.eps;
    const int dim = of.width() / of.n_groups;
    pool_.run(n_tokens * of.n_groups, [&](int index, int) {
        const std::size_t at = size(index) * size(dim);
        float* values = heads_.attended + at;
        table_.silu_mul(gate + at, values, values, dim);
        table_.rms_norm(values,
                        weights.vectors[Role::DeltaNorm].data() + size(index % of.n_groups * dim),
                        eps, values, dim);
    });
}

}  // namespace hearth
