// Where a model lives: which memory has each cluster, which unit has each layer's attention and the
// output head, and which of the processor's weights RAM does not hold. The last is FlashPart alone:
// no planner gives a cluster Residency::Flash.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/cluster.h"
#include "model/roles.h"

namespace hearth {

enum class Residency { Vram, Ram, Flash };

// What computes. A unit computes what lies in its own memory.
enum class Unit : std::uint8_t { Cpu, Gpu };

constexpr Unit unit_of(Residency residency) {
    switch (residency) {
        case Residency::Vram:
            return Unit::Gpu;
        case Residency::Ram:
        case Residency::Flash:
            break;
    }
    return Unit::Cpu;
}

struct ClusterPlacement {
    Cluster cluster;
    Residency residency = Residency::Ram;
};

struct LayerPlacement {
    // Has the layer's attention with its norms, its past and, where neurons are predicted, the
    // predictor, which scores the other unit's neurons too.
    Unit attention = Unit::Cpu;
    // By first neuron, one behind the other, all of the layer's neurons, the GPU's first. Numbers
    // are places.
    std::vector<ClusterPlacement> clusters;
    // [n_ff]: place i is neuron order[i] of the file; empty: the file's own order. Where a down
    // projection is stored by output, the places of each unit are one run of the file, beginning
    // and ending at blocks of its type. What ascends is loaded in one pass over the file.
    std::vector<int> order;
};

// What RAM does not hold of the processor's weights.
struct FlashPart {
    using Roles = std::bitset<kRoles>;
    // Matrices that each pass reads ahead of their use.
    std::vector<Roles> layers;  // [n_layer]; empty: none
    bool output = false;        // the output head
    // How many neurons of a layer there is room for; a token reads those that it needs and that
    // are not there, a batch reads all. 0: the layer's neurons are not cached.
    std::vector<int> cached;  // [n_layer]; empty: 0 of each

    bool any() const { return output || !layers.empty() || !cached.empty(); }
    int n_cached(int layer) const {
        return cached.empty() ? 0 : cached[static_cast<std::size_t>(layer)];
    }
    bool has(int layer, Role role) const {
        return !layers.empty() &&
               layers[static_cast<std::size_t>(layer)][static_cast<std::size_t>(role)];
    }
};

struct Placement {
    std::vector<LayerPlacement> layers;  // [n_layer]
    FlashPart flash;
    Unit output = Unit::Cpu;  // has the final norm and the output head
};

// What a GPU has, as executors and costs ask for it: gpu_part() reads it from a placement, and the
// planner tries some before there is one. The processor has the rest: attention of the other
// layers, the neurons of each layer from place hot_neurons[l] on, and always the embeddings.
struct GpuPart {
    std::vector<int> hot_neurons;                // [n_layer]: a layer's first places; empty: none
    std::vector<std::vector<int>> neuron_order;  // [n_layer], LayerPlacement::order; empty: none
    std::vector<bool> attention_in_vram;         // [n_layer]; empty: none
    bool output_in_vram = false;

    int hot(int layer) const {
        return hot_neurons.empty() ? 0 : hot_neurons[static_cast<std::size_t>(layer)];
    }
    bool has_neurons() const;
    bool has_attention(int layer) const {
        return !attention_in_vram.empty() && attention_in_vram[static_cast<std::size_t>(layer)];
    }
    // Where neurons are predicted.
    bool has_predictor(int layer) const { return has_attention(layer); }
    std::span<const int> order(int layer) const {
        return neuron_order.empty()
                   ? std::span<const int>{}
                   : std::span<const int>{neuron_order[static_cast<std::size_t>(layer)]};
    }
};

// Asserts that the placement is as its comments say: no other function looks.
GpuPart gpu_part(const Placement& placement);

// The placement that gives a GPU this part and leaves the rest in RAM. n_ff: [n_layer].
Placement rest_in_ram(const GpuPart& part, std::span<const int> n_ff);

}  // namespace hearth
