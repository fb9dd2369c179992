#include "plan/placement.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"

namespace hearth {

int LayerPlacement::n_neurons() const {
    return clusters.empty() ? 0 : clusters.back().cluster.first + clusters.back().cluster.count;
}

int LayerPlacement::hot() const {
    int hot = 0;
    for (const ClusterPlacement& one : clusters) {
        hot += unit_of(one.home) == Unit::Gpu ? one.cluster.count : 0;
    }
    return hot;
}

void LayerPlacement::set_slots(int count) {
    n_slots = count;
    for (ClusterPlacement& one : clusters) {
        if (unit_of(one.home) == Unit::Cpu) {
            one.home = count > 0 ? Home::Slots : Home::Ram;
        }
    }
}

bool Placement::has_hot_neurons() const {
    return std::any_of(layers.begin(), layers.end(),
                       [](const LayerPlacement& layer) { return layer.hot() > 0; });
}

bool Placement::uses_vram() const {
    return output_in_vram() || has_hot_neurons() ||
           std::any_of(layers.begin(), layers.end(),
                       [](const LayerPlacement& layer) { return layer.attention == Unit::Gpu; });
}

bool Placement::has_slots() const {
    return std::any_of(layers.begin(), layers.end(),
                       [](const LayerPlacement& layer) { return layer.n_slots > 0; });
}

bool Placement::reads_flash() const {
    return output == Home::Stream || has_slots() ||
           std::any_of(layers.begin(), layers.end(),
                       [](const LayerPlacement& layer) { return layer.streamed.any(); });
}

Placement all_in_ram(std::span<const int> n_ff) {
    Placement placement;
    placement.layers.resize(n_ff.size());
    for (std::size_t l = 0; l < n_ff.size(); ++l) {
        place_neurons(placement, static_cast<int>(l), n_ff[l], 0);
    }
    return placement;
}

void place_neurons(Placement& placement, int layer, int n_ff, int hot) {
    HEARTH_ASSERT(hot >= 0 && hot <= n_ff);
    std::vector<ClusterPlacement>& clusters =
        placement.layers[static_cast<std::size_t>(layer)].clusters;
    clusters.clear();
    if (hot > 0) {
        clusters.push_back({{layer, 0, hot}, Home::Vram});
    }
    if (hot < n_ff) {
        clusters.push_back({{layer, hot, n_ff - hot}, Home::Ram});
    }
}

void exchange(Placement& placement, const PlaceExchange& two) {
    LayerPlacement& layer = placement.layers[static_cast<std::size_t>(two.layer)];
    const auto one = static_cast<std::size_t>(two.vram_place);
    const auto other = static_cast<std::size_t>(two.other_place);
    std::swap(layer.order[one], layer.order[other]);
    if (!layer.expected_uses.empty()) {
        std::swap(layer.expected_uses[one], layer.expected_uses[other]);
    }
}

void check_placement(const Placement& placement, std::span<const int> n_ff) {
    HEARTH_ASSERT(placement.output != Home::Slots && placement.layers.size() == n_ff.size());
    for (std::size_t l = 0; l < n_ff.size(); ++l) {
        const LayerPlacement& layer = placement.layers[l];
        int next = 0;
        bool hot = true;
        for (const auto& [cluster, home] : layer.clusters) {
            HEARTH_ASSERT(cluster.layer == static_cast<int>(l) && cluster.first == next &&
                          cluster.count > 0);
            next += cluster.count;
            HEARTH_ASSERT(
                home == Home::Vram ? hot : home == (layer.n_slots > 0 ? Home::Slots : Home::Ram));
            hot = home == Home::Vram;
        }
        HEARTH_ASSERT(next == n_ff[l]);
        HEARTH_ASSERT(layer.order.empty() ||
                      static_cast<std::size_t>(next) % layer.order.size() == 0);
        HEARTH_ASSERT(layer.expected_uses.empty() ||
                      layer.expected_uses.size() == layer.order.size());
    }
}

}  // namespace hearth
