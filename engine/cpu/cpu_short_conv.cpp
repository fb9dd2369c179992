#include "cpu/cpu_short_conv.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "base/assert.h"

namespace hearth {
namespace {

constexpr int kMostKernel = 16;

std::size_t size(int n) {
    return static_cast<std::size_t>(n);
}

}  // namespace

// A file has a row of taps a channel. The kernel reads neighbouring channels of one tap.
void CpuShortConv::set_up(const ModelSpec& spec, const CpuWeights& weights,
                          const Scratch& scratch) {
    layers_ = spec.layers;
    taps_.assign(layers_.size(), nullptr);
    bias_.assign(layers_.size(), nullptr);
    float* place = scratch.taps;
    for (int layer = 0; layer < spec.n_layer(); ++layer) {
        const std::span<const float> taps = weights.vector(layer, Role::ConvTaps);
        if (taps.empty()) {
            continue;
        }
        const LayerSpec& of = spec.layer(layer);
        HEARTH_ASSERT(of.conv_kernel() <= kMostKernel);
        const auto kernel = size(of.conv_kernel());
        const auto width = size(of.conv_width());
        for (std::size_t c = 0; c < width; ++c) {
            for (std::size_t j = 0; j < kernel; ++j) {
                place[j * width + c] = taps[c * kernel + j];
            }
        }
        taps_[size(layer)] = place;
        const std::span<const float> bias = weights.vector(layer, Role::ConvBias);
        bias_[size(layer)] = bias.empty() ? nullptr : bias.data();
        place += kernel * width;
    }
}

void CpuShortConv::mix(int layer, const Inputs& inputs, const Channels& channels, int t,
                       const float* gate, float* y) const {
    const LayerSpec& of = layers_[size(layer)];
    const std::size_t width = size(of.conv_width());
    const int n_before = of.conv_kernel() - 1;
    std::array<const float*, kMostKernel> rows{};
    for (int j = 0; j <= n_before; ++j) {
        const int from = t - n_before + j;
        rows[size(j)] = (from < 0 ? inputs.state + size(n_before + from) * width
                                  : inputs.rows + size(from) * inputs.stride) +
                        channels.first;
    }
    const float* bias = bias_[size(layer)];
    table_.short_conv({.rows = rows.data(),
                       .taps = taps_[size(layer)] + channels.first,
                       .stride = width,
                       .kernel = of.conv_kernel(),
                       .gate = gate,
                       .bias = bias == nullptr ? nullptr : bias + channels.first,
                       .y = y,
                       .n = channels.count});
}

void CpuShortConv::put_ahead(int layer, const Inputs& inputs, const Channels& channels,
                             int n_tokens, float* rows) const {
    const auto width = size(layers_[size(layer)].conv_width());
    for (std::size_t t = 0; t < size(n_tokens); ++t) {
        std::memcpy(rows + t * width + channels.first,
                    inputs.rows + t * inputs.stride + channels.first,
                    size(channels.count) * sizeof(float));
    }
}

void CpuShortConv::keep(int layer, const Inputs& inputs, const Channels& channels,
                        int n_tokens) const {
    const LayerSpec& of = layers_[size(layer)];
    const auto width = size(of.conv_width());
    const auto n_before = size(of.conv_kernel() - 1);
    const auto n_new = std::min(n_before, size(n_tokens));
    const auto n_old = n_before - n_new;
    float* kept = inputs.state + channels.first;
    const std::size_t bytes = size(channels.count) * sizeof(float);
    for (std::size_t i = 0; i < n_before; ++i) {
        const float* latest =
            i < n_old
                ? kept + (n_new + i) * width
                : inputs.rows + (size(n_tokens) - n_before + i) * inputs.stride + channels.first;
        std::memcpy(kept + i * width, latest, bytes);
    }
}

}  // namespace hearth
