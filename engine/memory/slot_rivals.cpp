#include "memory/slot_rivals.h"

#include <algorithm>

namespace hearth {
namespace {

constexpr double kStays = 0.98923;  // 2^(-1/64)
constexpr double kBetter = 1.02;    // so much less must be missed before the way is changed

// Returns the misses.
int replay(SlotTable& table, int first, std::span<const std::uint16_t> demand, SlotWay way) {
    int missing = 0;
    for (const std::uint16_t name : demand) {
        if (table.slot_of(first + name) == SlotTable::kNone) {
            ++missing;
        } else {
            table.use(first + name);
        }
    }
    for (const std::uint16_t name : demand) {
        const int item = first + name;
        if (table.slot_of(item) != SlotTable::kNone) {
            continue;
        }
        if (table.n_unpinned() == 0) {
            table.pass(item);
        } else {
            SlotRivals::put(table, item, way, true);
        }
    }
    for (const std::uint16_t name : demand) {
        if (table.slot_of(first + name) != SlotTable::kNone) {
            table.unpin(first + name);
        }
    }
    return missing;
}

}  // namespace

int SlotRivals::put(SlotTable& table, int item, SlotWay way, bool may_pass) {
    if (may_pass && way == SlotWay::RarestOrPass && table.passes_by(item)) {
        table.pass(item);
        return SlotTable::kNone;
    }
    return table.put(
        item, way == SlotWay::Oldest ? SlotTable::GivesWay::Oldest : SlotTable::GivesWay::Rarest);
}

void SlotRivals::saw(int first, std::span<const std::uint16_t> demand) {
    for (std::size_t i = 0; i < kWays; ++i) {
        missed_[i] = missed_[i] * kStays + replay(tables_[i], first, demand, SlotWay(i));
    }
    const auto best = static_cast<std::size_t>(std::min_element(missed_.begin(), missed_.end()) -
                                               missed_.begin());
    if (missed_[best] * kBetter < missed_[static_cast<std::size_t>(way_)]) {
        way_ = SlotWay(best);
    }
}

}  // namespace hearth
