#include "memory/slot_table.h"

#include <algorithm>
#include <bit>

#include "base/assert.h"

namespace hearth {
namespace {

constexpr std::uint32_t kMostUnpins = 0x7FFFFFFF;

}  // namespace

SlotTable::SlotTable(int n_items, int n_slots)
    : slots_(static_cast<std::size_t>(n_slots)),
      of_item_(static_cast<std::size_t>(n_items), kNone),
      uses_(static_cast<std::size_t>(n_items)) {
    HEARTH_ASSERT(n_slots > 0 && n_slots <= kMostSlots);
    set_slots(n_slots);
}

std::uint64_t SlotTable::bytes_for(int n_items, int n_slots) {
    return static_cast<std::uint64_t>(n_slots) * sizeof(Slot) +
           static_cast<std::uint64_t>(n_items) * (sizeof(Place) + sizeof(std::uint8_t));
}

void SlotTable::expect(std::span<const std::uint8_t> uses) {
    HEARTH_ASSERT(uses.empty() || uses.size() == uses_.size());
    HEARTH_ASSERT(
        std::all_of(of_item_.begin(), of_item_.end(), [](Place place) { return place == kNone; }));
    std::transform(uses.begin(), uses.end(), uses_.begin(),
                   [](std::uint8_t one) { return std::min(one, kMostUses); });
}

void SlotTable::set_slots(int n_slots) {
    HEARTH_ASSERT(n_unpinned_ == n_slots_);
    HEARTH_ASSERT(n_slots >= 0 && static_cast<std::size_t>(n_slots) <= slots_.size());
    for (Place place = n_slots; place < n_slots_; ++place) {
        remove(place);
        if (at(place).item != kNone) {
            of_item_[static_cast<std::size_t>(at(place).item)] = kNone;
            --n_here_;
        }
    }
    for (Place place = n_slots - 1; place >= n_slots_; --place) {
        append_empty(place);
    }
    n_slots_ = n_slots;
    n_unpinned_ = n_slots;
}

void SlotTable::count(int item) {
    std::uint8_t& uses = uses_of(item);
    uses = uses < kMostUses ? static_cast<std::uint8_t>(uses + 1) : kMostUses;
}

void SlotTable::append(Place place) {
    Slot& slot = at(place);
    Queue& queue = queues_[queue_of(slot)];
    filled_ |= std::uint64_t{1} << queue_of(slot);
    slot.before = queue.last;
    slot.after = kNone;
    (queue.last == kNone ? queue.first : at(queue.last).after) = place;
    queue.last = place;
}

void SlotTable::remove(Place place) {
    const Slot& slot = at(place);
    Queue& queue = queues_[queue_of(slot)];
    (slot.before == kNone ? queue.first : at(slot.before).after) = slot.after;
    (slot.after == kNone ? queue.last : at(slot.after).before) = slot.before;
    if (queue.first == kNone) {
        filled_ &= ~(std::uint64_t{1} << queue_of(slot));
    }
}

void SlotTable::use(int item) {
    const Place place = slot_of(item);
    HEARTH_ASSERT(place != kNone && !at(place).pinned);
    remove(place);
    at(place).pinned = 1;
    count(item);
    --n_unpinned_;
}

void SlotTable::lower_one() {
    lowered_ = (lowered_ + 1) % uses_.size();
    const Place place = of_item_[lowered_];
    const bool queued = place != kNone && !at(place).pinned;
    if (queued) {
        remove(place);
    }
    uses_[lowered_] = static_cast<std::uint8_t>(uses_[lowered_] * 3 / 4);
    if (queued) {
        append(place);
    }
}

// Among slots that hold an item and are not pinned; kNone: there are none.
SlotTable::Place SlotTable::oldest() const {
    Place oldest = kNone;
    for (Place place = 0; place < n_slots_; ++place) {
        const Slot& slot = slots_[static_cast<std::size_t>(place)];
        const bool may_go = slot.pinned == 0 && slot.item != kNone;
        if (may_go && (oldest == kNone ||
                       slot.unpinned_at < slots_[static_cast<std::size_t>(oldest)].unpinned_at)) {
            oldest = place;
        }
    }
    return oldest;
}

int SlotTable::put(int item, GivesWay which) {
    HEARTH_ASSERT(slot_of(item) == kNone && n_unpinned_ > 0);
    Place place = queues_[static_cast<std::size_t>(std::countr_zero(filled_))].first;
    if (which == GivesWay::Oldest && at(place).item != kNone) {
        place = oldest();
    }
    remove(place);
    Slot& slot = at(place);
    if (slot.item != kNone) {
        of_item_[static_cast<std::size_t>(slot.item)] = kNone;
        --n_here_;
        lower_one();
    }
    slot = {.item = item, .pinned = 1};
    of_item_[static_cast<std::size_t>(item)] = place;
    count(item);
    --n_unpinned_;
    ++n_here_;
    return place;
}

bool SlotTable::has_empty() const {  // they stand first
    const Place first = queues_[0].first;
    return first != kNone && slots_[static_cast<std::size_t>(first)].item == kNone;
}

int SlotTable::most_used_absent() const {
    int most = kNone;
    for (std::size_t item = 0; item < uses_.size(); ++item) {
        const int best = most == kNone ? 0 : uses_[static_cast<std::size_t>(most)];
        if (of_item_[item] == kNone && uses_[item] > best) {
            most = static_cast<int>(item);
        }
    }
    return most;
}

bool SlotTable::passes_by(int item) const {
    HEARTH_ASSERT(slot_of(item) == kNone);
    if (filled_ == 0) {
        return true;
    }
    const auto least = static_cast<std::size_t>(std::countr_zero(filled_));
    const Slot& first = slots_[static_cast<std::size_t>(queues_[least].first)];
    const std::size_t uses = uses_[static_cast<std::size_t>(item)];
    return first.item != kNone && least >= std::min<std::size_t>(uses + 1, kMostUses);
}

void SlotTable::pass(int item) {
    HEARTH_ASSERT(slot_of(item) == kNone);
    count(item);
    lower_one();
}

void SlotTable::unpin(int item) {
    const Place place = slot_of(item);
    HEARTH_ASSERT(place != kNone && at(place).pinned);
    at(place).pinned = 0;
    at(place).unpinned_at = ++n_unpins_ & kMostUnpins;
    append(place);
    ++n_unpinned_;
}

void SlotTable::drop(int item) {
    const Place place = slot_of(item);
    HEARTH_ASSERT(place != kNone && !at(place).pinned);
    remove(place);
    of_item_[static_cast<std::size_t>(item)] = kNone;
    --n_here_;
    append_empty(place);
}

// In front, so that empty slots are filled before anything gives way.
void SlotTable::append_empty(Place place) {
    Queue& queue = queues_[0];
    at(place) = {.after = queue.first};
    (queue.first == kNone ? queue.last : at(queue.first).before) = place;
    queue.first = place;
    filled_ |= 1;
}

}  // namespace hearth
