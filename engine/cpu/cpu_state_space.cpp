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
    const int n_panels = (of.head_dim + kernels::kStatePanel - 1) / kernels::kStatePanel;
    pool_.run(of.n_heads * n_panels, [&](int index, int) {
        pass_panel(task, weights, index / n_panels, index % n_panels);
    });
    const CpuShortConv::Inputs inputs{heads_.q, size(of.conv_width()),
                                      task.past.cpu.state(task.layer)};
    conv_.keep(task.layer, inputs, {0, of.conv_width()}, task.n_tokens);
}

// A task has kChannels channels; the first part also makes the tokens' steps and decays.
void CpuStateSpace::mix(const HeadsTask& task, const CpuLayer& weights, int part, int first,
                        int count) {
    const StateSpaceSpec& of = state_space(task.layer);
    const auto width = size(of.conv_width());
    const CpuShortConv::Inputs inputs{heads_.q, width, task.past.cpu.state(task.layer)};
    const CpuShortConv::Channels channels{size(part * kChannels),
                                          std::min(kChannels, of.conv_width() - part * kChannels)};
    for (int t = first; t < first + count; ++t) {
        conv_.mix(task.layer, inputs, channels, t, nullptr,
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

void CpuStateSpace::pass_panel(const HeadsTask& task, const CpuLayer& weights, int head,
                               int panel) {
    const StateSpaceSpec& of = state_space(task.layer);
    const auto width = size(of.conv_width());
    const int columns = std::min(kernels::kStatePanel, of.head_dim - panel * kernels::kStatePanel);
    const std::size_t value = size(head * of.head_dim + panel * kernels::kStatePanel);
    const std::size_t group = size(head / (of.n_heads / of.n_groups) * of.state_dim);
    const std::size_t b = size(of.width()) + group;
    float* states = task.past.cpu.state(task.layer) + conv_state_floats(layers_[size(task.layer)]);
    const kernels::DeltaNet pass{.state = states + value * size(of.state_dim),
                                 .q = scratch_.mixed + b + size(of.n_groups * of.state_dim),
                                 .k = scratch_.mixed + b,
                                 .v = scratch_.mixed + value,
                                 .qk_stride = width,
                                 .v_stride = width,
                                 .decay = heads_.v + head,
                                 .beta = heads_.k + head,
                                 .gate_stride = size(of.n_heads),
                                 .out = heads_.attended + value,
                                 .out_stride = size(of.width()),
                                 .key_dim = of.state_dim,
                                 .n_tokens = task.n_tokens,
                                 .columns = columns};
    table_.state_space(pass);
    const float skip = weights.vectors[Role::StateSkip][size(head)];
    for (std::size_t t = 0; t < size(task.n_tokens); ++t) {
        for (std::size_t c = 0; c < size(columns); ++c) {
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
