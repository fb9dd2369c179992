// Which neurons of one layer lie in which slots of the cold cache, and which of them gives way.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hearth {

// Every operation takes constant time. Slots stand in queues by how often their items were used,
// and what gives way is the oldest of the lowest queue that holds any. Uses are remembered of what
// has no slot, too, so that an item that comes back is not taken for a new one. Each eviction
// takes a quarter of its uses from one item, all in their turn: what was used often long ago gives
// way at last. Why: docs/decisions/0038-a-cache-remembers-what-left-it.md.
//
// What is pinned stays: a token needs all of a group's neurons at the same time.
class SlotTable {
public:
    // The oldest of those that were used least gives way, or the oldest of all, for which the slots
    // are looked through.
    enum class GivesWay : std::uint8_t { Rarest, Oldest };

    static constexpr int kNone = -1;
    static constexpr int kMostSlots = 65535;  // kernels take 16-bit rows
    static constexpr std::uint8_t kMostUses = 63;

    // items: neurons, or whatever has a slot of its own. 0 < n_slots <= kMostSlots.
    SlotTable(int n_items, int n_slots);
    // Of the tables of one.
    static std::uint64_t bytes_for(int n_items, int n_slots);

    // As if each item had been used so often before, [items], at most kMostUses; empty: never. They
    // count from the first token on, and fade as counted uses do. Precondition: nothing has a slot.
    void expect(std::span<const std::uint8_t> uses);

    // Those that are used: all, until set_slots().
    int n_slots() const { return n_slots_; }
    // Uses the first n_slots slots from now on, at most those it was made with. What lies in the
    // others is forgotten, not how often it was used. Precondition: nothing is pinned.
    void set_slots(int n_slots);
    int n_unpinned() const { return n_unpinned_; }
    int n_here() const { return n_here_; }  // items that have a slot
    // kNone: it is not here.
    int slot_of(int item) const { return of_item_[static_cast<std::size_t>(item)]; }

    // Counts a use of an item that is here and pins it. Precondition: it is not pinned.
    void use(int item);
    // Gives the item a slot, pinned, from which another one may have to go. Preconditions: it is
    // not here, and n_unpinned() > 0.
    int put(int item, GivesWay which = GivesWay::Rarest);
    bool has_empty() const;
    // The item that was used most among those that have no slot; none was: kNone. Takes as long as
    // there are items.
    int most_used_absent() const;
    // True if nothing that could give way to a missing item was used less often than it, this use
    // of it among them. False where there is an empty slot. Precondition: it is not here.
    bool passes_by(int item) const;
    // Counts a use of an item that gets no slot, as an eviction does. Precondition: it is not here.
    void pass(int item);
    void unpin(int item);
    // The slot is empty from now on. Precondition: it is not pinned.
    void drop(int item);

private:
    using Place = std::int32_t;  // of a slot; kNone: none
    struct Slot {
        Place before = kNone, after = kNone;  // in its queue
        std::int32_t item = kNone;
        std::uint32_t pinned : 1 = 0;
        std::uint32_t unpinned_at : 31 = 0;
    };
    struct Queue {
        Place first = kNone, last = kNone;
    };

    Slot& at(Place place) { return slots_[static_cast<std::size_t>(place)]; }
    std::uint8_t& uses_of(int item) { return uses_[static_cast<std::size_t>(item)]; }
    std::size_t queue_of(const Slot& slot) { return slot.item == kNone ? 0 : uses_of(slot.item); }
    void count(int item);
    void append(Place place);
    void append_empty(Place place);
    void remove(Place place);
    void lower_one();
    Place oldest() const;

    std::vector<Slot> slots_;
    std::vector<Place> of_item_;
    std::vector<std::uint8_t> uses_;  // of each item, whether it is here or not
    // By uses, of what is not pinned; empty slots stand first in 0. A bit of `filled_` says that
    // the queue holds any.
    std::array<Queue, kMostUses + 1> queues_{};
    std::uint64_t filled_ = 0;
    std::size_t lowered_ = 0;  // the item whose turn it was last
    int n_slots_ = 0;
    int n_unpinned_ = 0;
    int n_here_ = 0;
    std::uint32_t n_unpins_ = 0;
};

}  // namespace hearth
