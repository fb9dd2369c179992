// The places of a model: the one statement from which executors, costs and reports read which
// memory has each cluster, each matrix and the output head.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/cluster.h"
#include "model/roles.h"

namespace hearth {

enum class Home : std::uint8_t {
    Vram,    // a GPU's memory
    Ram,     // the processor's, for good
    Stream,  // on flash: each pass reads it ahead of its use, into memory that parts share
    Slots,   // on flash: read when a token needs it, into the slots of a cache
};

// A unit computes what lies in its own memory, or is read into it.
enum class Unit : std::uint8_t { Cpu, Gpu };

constexpr Unit unit_of(Home home) {
    switch (home) {
        case Home::Vram:
            return Unit::Gpu;
        case Home::Ram:
        case Home::Stream:
        case Home::Slots:
            break;
    }
    return Unit::Cpu;
}

struct ClusterPlacement {
    Cluster cluster;
    Home home = Home::Ram;

    bool operator==(const ClusterPlacement&) const = default;
};

struct LayerPlacement {
    // Has the layer's attention with its norms, its past and, where neurons are predicted, the
    // predictor, which scores the other unit's neurons too.
    Unit attention = Unit::Cpu;
    // By first neuron, one behind the other, all of the layer's neurons, the GPU's first. Numbers
    // are places. The others' home is Ram or, where the layer has slots, Slots.
    std::vector<ClusterPlacement> clusters;
    // [n_ff]: place i is neuron order[i] of the file; empty: the file's own order. A mixture's is
    // of experts, [experts], whose neurons stay together. Where a down projection is stored by
    // output, the places of each unit are one run of the file, beginning and ending at blocks of
    // its type. What ascends is loaded in one pass over the file.
    std::vector<int> order;
    // Matrices whose part that is the processor's has the home Stream, whatever the home of the
    // clusters. In a layer with slots these are matrices that do not lie in them.
    RoleSet streamed;
    // How many neurons of the clusters in Slots there is room for. A token reads those that it
    // needs and that are not there, a batch reads all. A mixture's come and go by whole experts,
    // and a batch too reads those that its tokens use.
    int n_slots = 0;
    // [order]: how often each expert of a mixture with slots is used beside the others, by a
    // profile; empty: not known. SlotTable::expect() says what it is for.
    std::vector<std::uint8_t> expected_uses;

    int n_neurons() const;
    int hot() const;  // of the first places, how many are in VRAM
    // Precondition: the layer has its clusters.
    void set_slots(int count);

    bool operator==(const LayerPlacement&) const = default;
};

struct Placement {
    std::vector<LayerPlacement> layers;  // [n_layer]; empty: all of the model is in RAM
    Home output = Home::Ram;             // of the output head, with the final norm; not Slots

    int hot(int layer) const { return layers.empty() ? 0 : at(layer).hot(); }
    bool has_hot_neurons() const;
    std::span<const std::uint8_t> expected_uses(int layer) const {
        return layers.empty() ? std::span<const std::uint8_t>{}
                              : std::span<const std::uint8_t>{at(layer).expected_uses};
    }
    bool attention_in_vram(int layer) const {
        return !layers.empty() && at(layer).attention == Unit::Gpu;
    }
    // Where neurons are predicted.
    bool predictor_in_vram(int layer) const { return attention_in_vram(layer); }
    bool output_in_vram() const { return output == Home::Vram; }
    bool uses_vram() const;
    std::span<const int> order(int layer) const {
        return layers.empty() ? std::span<const int>{} : std::span<const int>{at(layer).order};
    }
    RoleSet streamed(int layer) const { return layers.empty() ? RoleSet{} : at(layer).streamed; }
    int n_slots(int layer) const { return layers.empty() ? 0 : at(layer).n_slots; }
    bool has_slots() const;    // in any layer
    bool reads_flash() const;  // anything's home is Stream or Slots

    bool operator==(const Placement&) const = default;

private:
    const LayerPlacement& at(int layer) const { return layers[static_cast<std::size_t>(layer)]; }
};

// All in RAM. n_ff: [n_layer].
Placement all_in_ram(std::span<const int> n_ff);

// Gives the GPU the first `hot` places of a layer of n_ff neurons, and RAM the others.
void place_neurons(Placement& placement, int layer, int n_ff, int hot);

// Two experts of a mixture, or two neurons of another layer, that change their places, one in VRAM
// and one that is not. Places are numbers in LayerPlacement::order.
struct PlaceExchange {
    int layer = 0;
    int vram_place = 0;
    int other_place = 0;

    bool operator==(const PlaceExchange&) const = default;
};

// Precondition: the layer has an order.
void exchange(Placement& placement, const PlaceExchange& two);

// Asserts that the placement is as its comments say, for layers of n_ff neurons, [n_layer].
void check_placement(const Placement& placement, std::span<const int> n_ff);

}  // namespace hearth
