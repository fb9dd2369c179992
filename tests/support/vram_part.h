// A placement as tests write it down: what a GPU has of a model. RAM has all else.
#pragma once

#include <span>
#include <vector>

#include "plan/placement.h"

namespace hearth::test {

struct VramPart {
    std::vector<int> n_ff;                         // [n_layer]
    std::vector<int> hot_neurons{};                // [n_layer]: a layer's first places; empty: none
    std::vector<std::vector<int>> neuron_order{};  // [n_layer], LayerPlacement::order; empty: none
    std::vector<bool> attention_in_vram{};         // [n_layer]; empty: none
    bool output_in_vram = false;

    int hot(int layer) const {
        return hot_neurons.empty() ? 0 : hot_neurons[static_cast<std::size_t>(layer)];
    }
    std::span<const int> order(int layer) const {
        return neuron_order.empty()
                   ? std::span<const int>{}
                   : std::span<const int>{neuron_order[static_cast<std::size_t>(layer)]};
    }
    bool has_attention(int layer) const {
        return !attention_in_vram.empty() && attention_in_vram[static_cast<std::size_t>(layer)];
    }

    // Not explicit: a part stands for its placement.
    operator Placement() const {
        Placement placement;
        placement.output = output_in_vram ? Home::Vram : Home::Ram;
        placement.layers.resize(n_ff.size());
        for (std::size_t l = 0; l < n_ff.size(); ++l) {
            const auto layer = static_cast<int>(l);
            placement.layers[l].attention = has_attention(layer) ? Unit::Gpu : Unit::Cpu;
            if (!neuron_order.empty()) {
                placement.layers[l].order = neuron_order[l];
            }
            place_neurons(placement, layer, n_ff[l], hot(layer));
        }
        return placement;
    }
};

// The part of a placement; empty orders are an empty list.
inline VramPart vram_part(const Placement& placement) {
    VramPart part;
    part.output_in_vram = placement.output_in_vram();
    bool ordered = false;
    for (const LayerPlacement& layer : placement.layers) {
        part.n_ff.push_back(layer.n_neurons());
        part.hot_neurons.push_back(layer.hot());
        part.attention_in_vram.push_back(layer.attention == Unit::Gpu);
        part.neuron_order.push_back(layer.order);
        ordered = ordered || !layer.order.empty();
    }
    if (!ordered) {
        part.neuron_order.clear();
    }
    return part;
}

// [n_layer]; empty: no layer has any.
inline std::vector<int> slots_of(const Placement& placement) {
    std::vector<int> counts;
    for (const LayerPlacement& layer : placement.layers) {
        counts.push_back(layer.n_slots);
    }
    return placement.has_slots() ? counts : std::vector<int>{};
}

}  // namespace hearth::test
