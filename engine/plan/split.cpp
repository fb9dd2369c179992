#include "plan/split.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace hearth {
namespace {

// Both runs ascend. order: of all of a layer's neurons, or experts, or empty.
std::vector<int> in_two_runs(const std::vector<int>& order, int hot) {
    std::vector<bool> is_hot(order.size());
    for (std::size_t i = 0; i < order.size() && static_cast<int>(i) < hot; ++i) {
        is_hot[static_cast<std::size_t>(order[i])] = true;
    }
    std::vector<int> runs(order.size());
    auto next_hot = runs.begin();
    auto next_cold = runs.begin() + (order.empty() ? 0 : hot);
    for (std::size_t neuron = 0; neuron < order.size(); ++neuron) {
        *(is_hot[neuron] ? next_hot : next_cold)++ = static_cast<int>(neuron);
    }
    return runs;
}

}  // namespace

Placement placement_of(const Split& split, const NeuronHeat& heat) {
    Placement placement;
    placement.output = split.output_in_vram ? Home::Vram : Home::Ram;
    placement.layers.resize(split.hot.size());
    for (std::size_t l = 0; l < split.hot.size(); ++l) {
        const auto layer = static_cast<int>(l);
        LayerPlacement& placed = placement.layers[l];
        placed.attention = layer >= split.n_in_ram ? Unit::Gpu : Unit::Cpu;
        const LayerHeat& layer_heat = heat.layers[l];
        const auto run = static_cast<int>(layer_heat.rates.size() /
                                          std::max<std::size_t>(layer_heat.order.size(), 1));
        placed.order =
            in_two_runs(layer_heat.order, layer_heat.order.empty() ? 0 : split.hot[l] / run);
        place_neurons(placement, layer, static_cast<int>(heat.layers[l].rates.size()),
                      split.hot[l]);
    }
    return placement;
}

void order_as_source(const NeuronHeat& heat, Placement& placement) {
    for (std::size_t l = 0; l < heat.source.size(); ++l) {
        const std::vector<std::int32_t>& source = heat.source[l];
        if (source.empty()) {
            continue;
        }
        std::vector<int>& order = placement.layers[l].order;
        if (order.empty()) {
            order.resize(source.size());
            std::iota(order.begin(), order.end(), 0);
        }
        const auto first_cold = order.begin() + placement.layers[l].hot();
        const auto by_source = [&](int a, int b) {
            return source[static_cast<std::size_t>(a)] < source[static_cast<std::size_t>(b)];
        };
        std::sort(order.begin(), first_cold, by_source);
        std::sort(first_cold, order.end(), by_source);
    }
}

MemoryBytes vram_of(const Split& split, const GpuMemoryCosts& gpu, int n_ctx,
                    std::uint64_t scratch) {
    MemoryBytes vram;
    vram.weights = split.output_in_vram ? gpu.output_bytes : 0;
    for (std::size_t l = 0; l < split.hot.size(); ++l) {
        const auto layer = static_cast<int>(l);
        vram.weights += gpu.neurons_bytes(layer, split.hot[l]);
        if (layer >= split.n_in_ram) {
            vram.weights += gpu.attention_bytes(layer);
            vram.kv += gpu.kv_bytes(n_ctx, layer);
        }
    }
    if (vram.total() > 0) {
        vram.scratch = scratch;
    }
    return vram;
}

}  // namespace hearth
