// The neurons of the processor's layers that RAM does not hold whole: rows in the slots of a cache,
// which a token computes with as soon as they are there. A mixture's experts likewise, in tiles.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <hearth/result.h>

#include "cpu/cpu_layout.h"
#include "cpu/cpu_weights.h"
#include "memory/neuron_cache.h"
#include "model/weights.h"

namespace hearth {

// How the neurons of one layer lie in slots, or its experts: the items.
struct ColdLayer {
    int layer = 0;
    RowChoice items;
    std::vector<HeldWeight> matrices;  // in rows, an expert's in tiles; at: in the slot
    std::uint64_t slot_bytes = 0;
    int n_slots = 0;
    int least_slots = 0;                            // that a token needs at once
    std::span<const std::uint8_t> expected_uses{};  // [items], as SlotTable::expect(); or empty
};

class ColdNeurons {
public:
    // layers: those that have such neurons, by number. n_layer: of the model. memory: the slots of
    // all of them, one layer's after the other's. without: as in the plan.
    // ahead: room_ahead() of the layers, or none.
    ColdNeurons(ReadQueue& queue, int channel, int n_layer, std::vector<ColdLayer> layers,
                std::span<std::byte> memory, std::span<std::byte> ahead = {},
                const FlashWithout& without = {});

    const FlashWithout& without() const { return without_; }

    // Bytes of the tables about the neurons, beside their rows: their places, their counts of use,
    // those that were looked at, and their numbers in the file where these are not their places.
    static std::uint64_t table_bytes(std::span<const ColdLayer> layers);
    // Bytes of the room for experts that have no slot, or none yet: for those that a token has of
    // so many layers, and half as many of one more. 0: there are no mixtures.
    static constexpr int kMostAhead = 2;  // layers that are guessed
    static std::uint64_t room_ahead(std::span<const ColdLayer> layers, int n_ahead);
    bool has_room_ahead() const { return ahead_count_ > 0; }

    NeuronCache& cache() { return cache_; }
    const NeuronCache& cache() const { return cache_; }
    // The index among the cache's layers; -1: the layer has no such neurons.
    int index_of(int layer) const { return index_[static_cast<std::size_t>(layer)]; }
    // The view of a matrix in the slots: row n is that of slot n.
    CpuRows rows(int index, const HeldWeight& matrix) const;
    // An expert's matrix as it lies in slot 0. The next slot's begins slot_bytes behind it.
    PackedMatrix tiles(int index, const HeldWeight& matrix) const;

    // Puts what was read into its place, in its form. at, read: the cache's entries of it. BadFile:
    // Inf or NaN. Any thread, each item by one.
    Result<void> arrange(int index, int item, std::uint16_t at,
                         std::uint8_t read = NeuronCache::kRead);

    // An expert is arranged in parts, each by any thread, in any order; then arranged() says that
    // all of them were right. Precondition: the layer is a mixture.
    int n_parts(int index) const;
    Result<void> arrange_part(int index, int item, std::uint16_t at, std::uint8_t read, int part);
    void arranged(int index, int item);

    // Between passes: the slots take `bytes` at most from now on, and the pages behind the others
    // go back to the system. Each layer has the same share of what it was made with, but no fewer
    // than it needs (least_bytes() for all of them).
    void set_bytes(std::uint64_t bytes);
    std::uint64_t least_bytes() const;
    // Between passes. Slots of experts that set_bytes() gave back are filled again, some of them
    // each time, with what was chosen most. The disk reads meanwhile, when it has nothing better to
    // do.
    void refill();

    // Somebody writes to the first bytes of the memory. Forgets what lies there, and gives back of
    // the rest what is needed for both to take no more than `most`.
    void give_up(std::uint64_t bytes, std::uint64_t most);
    // Between passes. Another neuron, or expert, of the file has this number from now on.
    void forget(int layer, int item);
    // Reads neurons into a layer's empty slots, the first ones of its order.
    Result<void> fill(int index);

private:
    int slots_of(std::size_t index, int share) const;
    // The slots from `first` on.
    std::span<std::byte> slots_from(int index, int first) const;

    std::vector<ColdLayer> layers_;
    std::vector<int> index_;                          // [n_layer]
    std::vector<std::vector<std::uint64_t>> places_;  // [layers][matrices] of rows as read
    std::vector<std::vector<std::uint8_t>> checked_;  // [layers][items]: found finite once
    const FlashWithout without_;
    const int ahead_count_;
    bool refills_ = false;
    int refilled_ = 0;  // the layer whose turn it was last
    NeuronCache cache_;
};

}  // namespace hearth
