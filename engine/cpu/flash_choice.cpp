#include "cpu/flash_choice.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "cpu/cpu_feed_forward.h"
#include "cpu/cpu_layout.h"
#include "cpu/cpu_weights.h"
#include "memory/slot_table.h"
#include "plan/cost_model.h"

namespace hearth {
namespace {

// In the order in which they leave RAM: the largest first, and the gate after what only open gates
// need. Gates that leave alone cost a batch nothing, which reads their records anyway; attention
// costs it as much as a token.
constexpr std::array kStreamed{Role::Down,      Role::Up, Role::Gate, Role::AttnOutput,
                               Role::DeltaGate, Role::Q,  Role::V,    Role::K};

using Roles = std::vector<Role>;

// The neurons of a layer that no GPU has.
int own_neurons(const LayerPlacement& layer) {
    return layer.n_neurons() - layer.hot();
}

// The neurons of whole experts among so many.
int whole_items(const LayerSpec& spec, int n_neurons) {
    return spec.is_mixture() ? n_neurons / spec.experts.n_ff * spec.experts.n_ff : n_neurons;
}

// The expected number of a token's experts that is not there if all are used alike.
double missed_experts(const LayerSpec& spec, const LayerPlacement& layer) {
    return spec.experts.n_used *
           (1 - static_cast<double>(layer.n_slots) / static_cast<double>(own_neurons(layer)));
}

std::uint64_t expert_bytes(const LayerSpec& spec, const LayerTensors& layer) {
    std::uint64_t bytes = 0;
    for (const Role role : {Role::Gate, Role::Up, Role::Down}) {
        bytes += layer[role].bytes() / static_cast<std::uint64_t>(spec.experts.n);
    }
    return bytes;
}

// The slots without which a layer's neurons cannot be cached, or 1 / part of its neurons if that is
// more. None: they cannot be cached.
void give_least_slots(const ModelSpec& spec, const ModelTensors& tensors, FeedForwardMode mode,
                      int part, Placement& placement) {
    for (std::size_t i = 0; i < placement.layers.size(); ++i) {
        const int n_neurons = own_neurons(placement.layers[i]);
        const LayerSpec& layer = spec.layers[i];
        if (n_neurons > 0 && !roles_in_slots(layer, tensors.layers[i], mode).empty()) {
            placement.layers[i].set_slots(
                std::max(least_cached(layer, n_neurons), whole_items(layer, n_neurons / part)));
        }
    }
}

// As many slots as fit. A layer's neurons stay for as many tokens as any other layer's: that misses
// less than as many slots in each, and less than slots for the most frequent neurons of all layers
// (docs/decisions/0044-slots-follow-the-profile.md). Nothing known: as many in each.
template <class Fits>
void add_slots(const ModelSpec& spec, Placement& placement, const FiringWindow& window,
               Fits&& fits) {
    constexpr double kLeastTokens = 0x1p-16;  // within which next to nothing fires
    constexpr int kDoublings = 60;            // after which every neuron has
    constexpr int kSteps = 1 << 10;  // of a doubling: one adds less than 0.1 % to a layer's slots
    std::vector<int> room;
    for (const LayerPlacement& layer : placement.layers) {
        room.push_back(layer.n_slots);
    }
    const auto wanted = [&](std::size_t layer, int step) {
        return window.is_known()
                   ? std::lround(window.neurons(
                         layer, kLeastTokens * std::exp2(static_cast<double>(step) / kSteps),
                         placement.layers[layer].hot()))
                   : step;
    };
    const auto set = [&](int step) {
        for (std::size_t i = 0; i < room.size(); ++i) {
            const int n_neurons = own_neurons(placement.layers[i]);
            const LayerSpec& layer = spec.layers[i];
            const long least = window.is_known() ? least_cached(layer, n_neurons) : room[i];
            const long most =
                layer.is_mixture() ? n_neurons : std::min(n_neurons, SlotTable::kMostSlots);
            if (room[i] > 0) {
                placement.layers[i].set_slots(whole_items(
                    layer, static_cast<int>(std::clamp<long>(wanted(i, step), least, most))));
            }
        }
    };
    int fitting = 0;
    for (int most = window.is_known() ? kDoublings * kSteps : spec.most(&LayerSpec::n_ff);
         fitting < most;) {
        const int middle = most - (most - fitting) / 2;
        set(middle);
        if (fits()) {
            fitting = middle;
        } else {
            most = middle - 1;
        }
    }
    set(fitting);
}

// Slots begin with the first of a layer's items that no GPU has: with the experts that are chosen
// most, if that is known.
void order_experts(const ModelSpec& spec, const FiringWindow& window, Placement& placement) {
    for (std::size_t i = 0; i < placement.layers.size() && window.is_known(); ++i) {
        LayerPlacement& layer = placement.layers[i];
        if (layer.n_slots == 0 || !spec.layers[i].is_mixture()) {
            continue;
        }
        const std::vector<std::uint8_t>& uses = window.expert_uses(i);
        if (layer.order.empty()) {
            layer.order = window.experts(i);
        } else {
            std::vector<bool> hot(layer.order.size());
            const auto first_cold = layer.order.begin() + layer.hot() / spec.layers[i].experts.n_ff;
            std::for_each(layer.order.begin(), first_cold,
                          [&](int expert) { hot[static_cast<std::size_t>(expert)] = true; });
            std::copy_if(window.experts(i).begin(), window.experts(i).end(), first_cold,
                         [&](int expert) { return !hot[static_cast<std::size_t>(expert)]; });
        }
        layer.expected_uses.clear();
        for (const int expert : layer.order) {
            layer.expected_uses.push_back(uses[static_cast<std::size_t>(expert)]);
        }
    }
}

// Roles that leave together: the rows of records come in one read. What lies in the slots of a
// cache does not leave.
std::vector<Roles> levels_of(const LayerTensors& layer, const Roles& in_slots) {
    std::vector<Roles> levels;
    for (const Role role : kStreamed) {
        const Weight& weight = layer[role];
        const bool cached = std::find(in_slots.begin(), in_slots.end(), role) != in_slots.end();
        // Of a record whose gate is held whole, and so is streamed, the rest comes with it, unless
        // gates are also in a matrix.
        const bool with_gate =
            weight.in_records() && layer[Role::Gate].present() && !layer.gate_matrix.present() &&
            std::find(in_slots.begin(), in_slots.end(), Role::Gate) == in_slots.end();
        if (!weight.present() || (cached && !with_gate)) {
            continue;
        }
        const auto with = std::find_if(levels.begin(), levels.end(), [&](const Roles& level) {
            const Weight& other = layer[level.front()];
            return other.tensor == weight.tensor && weight.in_records();
        });
        if (with == levels.end()) {
            levels.push_back({role});
        } else {
            with->push_back(role);
        }
    }
    return levels;
}

// streamed: [n_layer], roles that stream already.
// part: each layer that is cached has room for 1 / part of its neurons at least; 0: none is cached.
std::optional<FlashChoice> choose(const ModelSpec& spec, const ModelTensors& tensors,
                                  FeedForwardMode mode, const Placement& placement,
                                  std::span<const RoleSet> streamed, std::uint64_t budget,
                                  const FiringWindow& window, int part) {
    const std::size_t n_layer = tensors.layers.size();
    FlashChoice choice;
    Placement& chosen = choice.placement;
    chosen = placement;
    if (part > 0) {
        give_least_slots(spec, tensors, mode, part, chosen);
        order_experts(spec, window, chosen);
    }
    const auto fits = [&] {
        choice.weights_bytes = CpuWeights::bytes_for(spec, tensors, mode, chosen);
        return choice.weights_bytes <= budget;
    };
    const auto found = [&] {
        add_slots(spec, chosen, window, fits);
        fits();
        const PassBytes read = CpuWeights::bytes_read(spec, tensors, mode, chosen);
        choice.streamed_bytes = read.of_token;
        choice.batch_bytes = read.of_batch;
        for (std::size_t i = 0; i < n_layer; ++i) {
            const LayerPlacement& layer = chosen.layers[i];
            if (layer.n_slots == 0) {
                continue;
            }
            const int missing = own_neurons(layer) - layer.n_slots;
            if (const ExpertsSpec& experts = spec.layers[i].experts; spec.layers[i].is_mixture()) {
                choice.neuron_bytes += static_cast<std::uint64_t>(missing / experts.n_ff) *
                                       expert_bytes(spec.layers[i], tensors.layers[i]);
                continue;
            }
            for (const Role role : roles_in_slots(spec.layers[i], tensors.layers[i], mode)) {
                choice.neuron_bytes +=
                    static_cast<std::uint64_t>(missing) * tensors.layers[i][role].row_size();
            }
        }
        return choice;
    };
    if (chosen.has_slots() && fits()) {
        return found();
    }
    // Layers may differ in what they have: of each, its own level.
    std::vector<std::vector<Roles>> levels;
    std::size_t n_levels = 0;
    for (const LayerTensors& layer : tensors.layers) {
        levels.push_back(levels_of(
            layer, part > 0 ? roles_in_slots(spec.layers[levels.size()], layer, mode) : Roles{}));
        n_levels = std::max(n_levels, levels.back().size());
    }
    const auto is_here = [&](Role role, std::size_t layer) {
        return row_of(role).part == Part::Neurons
                   ? own_neurons(chosen.layers[layer]) > 0
                   : !chosen.attention_in_vram(static_cast<int>(layer));
    };
    const auto leave = [&](std::size_t level, std::size_t layer) {
        for (const Role role : levels[layer][level]) {
            chosen.layers[layer].streamed.add(role);
            if (role == Role::Down) {
                chosen.layers[layer].set_slots(0);
                chosen.layers[layer].order = placement.layers[layer].order;
                chosen.layers[layer].expected_uses.clear();
            }
        }
    };
    for (std::size_t level = 0; level < n_levels; ++level) {
        // Layers that have something of the level here: those that stream it already, and others.
        std::vector<std::size_t> first, others;
        for (std::size_t layer = 0; layer < n_layer; ++layer) {
            if (level < levels[layer].size() && is_here(levels[layer][level].front(), layer)) {
                const bool streams = streamed[layer].has(levels[layer][level].front());
                (streams ? first : others).push_back(layer);
            }
        }
        const std::size_t n_layers = first.size() + others.size();
        const Placement before = chosen;
        const auto leave_evenly = [&](const std::vector<std::size_t>& layers, std::size_t n) {
            for (std::size_t k = 0; k < n; ++k) {
                leave(level, layers[(2 * k + 1) * layers.size() / (2 * n)]);
            }
        };
        const auto fits_with = [&](std::size_t n) {
            chosen = before;
            leave_evenly(first, std::min(n, first.size()));
            leave_evenly(others, n - std::min(n, first.size()));
            return fits();
        };
        if (n_layers == 0 || !fits_with(n_layers)) {
            continue;
        }
        std::size_t least = 1;
        for (std::size_t most = n_layers; least < most;) {
            const std::size_t middle = (least + most) / 2;
            if (fits_with(middle)) {
                most = middle;
            } else {
                least = middle + 1;
            }
        }
        fits_with(least);
        return found();
    }
    if (!chosen.output_in_vram() && !tensors[Role::Output].same_as(tensors[Role::TokenEmbd])) {
        chosen.output = Home::Stream;
    }
    return fits() ? std::optional(found()) : std::nullopt;
}

// What a token reads, a scattered read counting as the bytes that the disk reads in order in its
// time. 23,000 to 27,000 bytes, on the two disks of docs/decisions/0041. A token asks for a tenth
// of a layer's neurons.
double disk_work(const ModelSpec& spec, const ModelTensors& tensors, FeedForwardMode mode,
                 const FlashChoice& choice) {
    constexpr double kScatteredBytes = 24'000;
    constexpr double kAsked = 0.1;
    auto work = static_cast<double>(choice.streamed_bytes);
    for (std::size_t i = 0; i < choice.placement.layers.size(); ++i) {
        const LayerPlacement& layer = choice.placement.layers[i];
        if (layer.n_slots == 0) {
            continue;
        }
        if (spec.layers[i].is_mixture()) {
            work += missed_experts(spec.layers[i], layer) *
                    static_cast<double>(expert_bytes(spec.layers[i], tensors.layers[i]));
            continue;
        }
        std::vector<const TensorInfo*> tensors_read;  // a record's rows come together
        for (const Role role : roles_in_slots(spec.layers[i], tensors.layers[i], mode)) {
            const Weight& weight = tensors.layers[i][role];
            if (!weight.in_records() || std::find(tensors_read.begin(), tensors_read.end(),
                                                  weight.tensor) == tensors_read.end()) {
                tensors_read.push_back(weight.tensor);
            }
        }
        const double neurons = own_neurons(layer);
        const double misses =
            kAsked * neurons * missed_share(std::min(1.0, layer.n_slots / neurons));
        work += misses * static_cast<double>(tensors_read.size()) * kScatteredBytes;
    }
    return work;
}

}  // namespace

// Slots, gates and attention want the same RAM: with more slots more of the rest is streamed. Tries
// slots for an eighth of the neurons, for a quarter and, where it must be, as few as possible, and
// takes what keeps the disk busy for the shortest time.
std::optional<FlashChoice> stream_to_fit(const ModelSpec& spec, const ModelTensors& tensors,
                                         FeedForwardMode mode, const Placement& placement,
                                         std::uint64_t budget, bool caches,
                                         const FiringWindow& window) {
    Placement in_ram = placement.layers.empty() ? all_in_ram(spec.neurons()) : placement;
    std::vector<RoleSet> streamed;
    for (const LayerPlacement& layer : in_ram.layers) {
        streamed.push_back(layer.streamed);
    }
    in_ram.output = placement.output_in_vram() ? Home::Vram : Home::Ram;
    for (LayerPlacement& layer : in_ram.layers) {
        layer.streamed = {};
        layer.set_slots(0);
    }
    std::optional<FlashChoice> best;
    const auto look = [&](int part) {
        auto choice = choose(spec, tensors, mode, in_ram, streamed, budget, window, part);
        if (choice && (!best || disk_work(spec, tensors, mode, *choice) <
                                    disk_work(spec, tensors, mode, *best))) {
            best = std::move(choice);
        }
    };
    if (caches) {
        look(8);
        if (best && !best->placement.has_slots()) {  // it has no neurons that can be
            return best;
        }
        look(4);
        // With fewer slots than a token wants neurons nearly all of them are missed.
        if (!best || best->placement.output == Home::Stream) {
            look(std::numeric_limits<int>::max());
        }
    }
    // With little room the head, of which all is laid out at once, costs more than it spares.
    if (!best || best->placement.output == Home::Stream) {
        look(0);
    }
    return best;
}

}  // namespace hearth
