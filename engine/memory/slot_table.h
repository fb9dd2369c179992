// Which neurons of one layer lie in which slots of the cold cache, and which of them gives way.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hearth {

// Every operation takes constant time. What is used often outlives what was used once: slots stand
// in queues by how often they were used, and what gives way is the oldest of the lowest queue. Each
// eviction also lowers the oldest slot of one higher queue, so that what was often used long ago
// gives way at last.
//
// What is pinned stays: a token needs all of a group's neurons at the same time.
class SlotTable {
public:
    static constexpr int kNone = -1;
    static constexpr int kMostSlots = 65535;  // kernels take 16-bit rows

    // items: neurons, or whatever has a slot of its own. 0 < n_slots <= kMostSlots.
    SlotTable(int n_items, int n_slots);

    int n_slots() const { return static_cast<int>(slots_.size()); }
    int n_unpinned() const { return n_unpinned_; }
    // kNone: it is not here.
    int slot_of(int item) const { return of_item_[static_cast<std::size_t>(item)]; }

    // Counts a use of an item that is here and pins it. Precondition: it is not pinned.
    void use(int item);
    // Gives the item a slot, pinned, from which another one may have to go. Preconditions: it is
    // not here, and n_unpinned() > 0.
    int put(int item);
    void unpin(int item);
    // The slot is empty from now on. Precondition: it is not pinned.
    void drop(int item);

private:
    using Place = std::int32_t;  // of a slot; kNone: none
    struct Slot {
        Place before = kNone, after = kNone;  // in its queue
        std::int32_t item = kNone;
        std::uint8_t uses = 0;
        bool pinned = false;
    };
    struct Queue {
        Place first = kNone, last = kNone;
    };
    static constexpr int kQueues = 8;

    Slot& at(Place place) { return slots_[static_cast<std::size_t>(place)]; }
    void append(Place place);
    void remove(Place place);
    void lower_one();

    std::vector<Slot> slots_;
    std::vector<std::int32_t> of_item_;
    std::array<Queue, kQueues> queues_{};  // of what is not pinned; empty slots stand first in 0
    std::size_t lowered_ = 0;
    int n_unpinned_ = 0;
};

}  // namespace hearth
