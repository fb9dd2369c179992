#include "memory/slot_table.h"

#include "base/assert.h"

namespace hearth {

SlotTable::SlotTable(int n_items, int n_slots)
    : slots_(static_cast<std::size_t>(n_slots)),
      of_item_(static_cast<std::size_t>(n_items), kNone),
      n_unpinned_(n_slots) {
    HEARTH_ASSERT(n_slots > 0 && n_slots <= kMostSlots);
    for (Place place = 0; place < n_slots; ++place) {
        append(place);
    }
}

void SlotTable::append(Place place) {
    Slot& slot = at(place);
    Queue& queue = queues_[slot.uses];
    slot.before = queue.last;
    slot.after = kNone;
    (queue.last == kNone ? queue.first : at(queue.last).after) = place;
    queue.last = place;
}

void SlotTable::remove(Place place) {
    const Slot& slot = at(place);
    Queue& queue = queues_[slot.uses];
    (slot.before == kNone ? queue.first : at(slot.before).after) = slot.after;
    (slot.after == kNone ? queue.last : at(slot.after).before) = slot.before;
}

void SlotTable::use(int item) {
    const Place place = slot_of(item);
    HEARTH_ASSERT(place != kNone && !at(place).pinned);
    remove(place);
    Slot& slot = at(place);
    slot.pinned = true;
    slot.uses += slot.uses + 1 < kQueues ? 1 : 0;
    --n_unpinned_;
}

// The oldest of one queue above the lowest, each queue in its turn.
void SlotTable::lower_one() {
    lowered_ = lowered_ % (kQueues - 1) + 1;
    const Place place = queues_[lowered_].first;
    if (place != kNone) {
        remove(place);
        --at(place).uses;
        append(place);
    }
}

int SlotTable::put(int item) {
    HEARTH_ASSERT(slot_of(item) == kNone && n_unpinned_ > 0);
    std::size_t queue = 0;
    while (queues_[queue].first == kNone) {
        ++queue;
    }
    const Place place = queues_[queue].first;
    remove(place);
    Slot& slot = at(place);
    if (slot.item != kNone) {
        of_item_[static_cast<std::size_t>(slot.item)] = kNone;
        lower_one();
    }
    slot = {.item = item, .pinned = true};
    of_item_[static_cast<std::size_t>(item)] = place;
    --n_unpinned_;
    return place;
}

void SlotTable::unpin(int item) {
    const Place place = slot_of(item);
    HEARTH_ASSERT(place != kNone && at(place).pinned);
    at(place).pinned = false;
    append(place);
    ++n_unpinned_;
}

void SlotTable::drop(int item) {
    const Place place = slot_of(item);
    HEARTH_ASSERT(place != kNone && !at(place).pinned);
    remove(place);
    Slot& slot = at(place);
    of_item_[static_cast<std::size_t>(item)] = kNone;
    // In front, so that empty slots are filled before anything gives way.
    Queue& queue = queues_[0];
    slot = {.after = queue.first};
    (queue.first == kNone ? queue.last : at(queue.first).before) = place;
    queue.first = place;
}

}  // namespace hearth
