#include "plan/placement.h"

#include <algorithm>

#include "base/assert.h"

namespace hearth {

bool GpuPart::has_neurons() const {
    return std::any_of(hot_neurons.begin(), hot_neurons.end(), [](int n) { return n > 0; });
}

GpuPart gpu_part(const Placement& placement) {
    GpuPart part;
    part.output_in_vram = placement.output == Unit::Gpu;
    bool ordered = false;
    for (std::size_t l = 0; l < placement.layers.size(); ++l) {
        const LayerPlacement& layer = placement.layers[l];
        int hot = 0;
        int next = 0;
        for (const auto& [cluster, residency] : layer.clusters) {
            HEARTH_ASSERT(cluster.layer == static_cast<int>(l) && cluster.first == next &&
                          cluster.count > 0);
            next += cluster.count;
            if (unit_of(residency) == Unit::Gpu) {
                HEARTH_ASSERT(hot == cluster.first);
                hot = next;
            }
        }
        HEARTH_ASSERT(layer.order.empty() || layer.order.size() == static_cast<std::size_t>(next));
        part.hot_neurons.push_back(hot);
        part.attention_in_vram.push_back(layer.attention == Unit::Gpu);
        part.neuron_order.push_back(layer.order);
        ordered = ordered || !layer.order.empty();
    }
    if (!ordered) {
        part.neuron_order.clear();
    }
    return part;
}

Placement rest_in_ram(const GpuPart& part, std::span<const int> n_ff) {
    Placement placement;
    placement.output = part.output_in_vram ? Unit::Gpu : Unit::Cpu;
    for (std::size_t l = 0; l < n_ff.size(); ++l) {
        const auto index = static_cast<int>(l);
        LayerPlacement& layer = placement.layers.emplace_back();
        layer.attention = part.has_attention(index) ? Unit::Gpu : Unit::Cpu;
        const int hot = part.hot(index);
        if (hot > 0) {
            layer.clusters.push_back({{index, 0, hot}, Residency::Vram});
        }
        if (hot < n_ff[l]) {
            layer.clusters.push_back({{index, hot, n_ff[l] - hot}, Residency::Ram});
        }
        const std::span<const int> order = part.order(index);
        layer.order.assign(order.begin(), order.end());
    }
    return placement;
}

}  // namespace hearth
