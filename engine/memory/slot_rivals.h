// Three ways of giving slots to experts that are missing, which differ in what gives way and in
// whether they get a slot at all, followed beside the cache on what its tokens ask for.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "memory/slot_table.h"

namespace hearth {

enum class SlotWay : std::uint8_t {
    Rarest,        // what was used least gives way
    RarestOrPass,  // likewise, and an item that was used no more often than that passes by
    Oldest,        // what was used longest ago gives way
};

// Items had better pass by while popularity stays and tokens differ, since rare ones do not put out
// frequent ones then. They had better not if the next token asks for some of the same. The oldest
// should go if a text has its own items for a while. Which it is, only the tokens say
// (docs/decisions/0082-experts-are-guessed-where-it-pays.md).
class SlotRivals {
public:
    // As SlotTable's.
    SlotRivals(int n_items, int n_slots)
        : tables_{SlotTable(n_items, n_slots), SlotTable(n_items, n_slots),
                  SlotTable(n_items, n_slots)} {}
    static std::uint64_t bytes_for(int n_items, int n_slots) {
        return kWays * SlotTable::bytes_for(n_items, n_slots);
    }
    void expect(std::span<const std::uint8_t> uses) {
        for (SlotTable& table : tables_) {
            table.expect(uses);
        }
    }
    void set_slots(int n_slots) {
        for (SlotTable& table : tables_) {
            table.set_slots(n_slots);
        }
    }

    // A token asks for items first + each of demand, each once.
    void saw(int first, std::span<const std::uint16_t> demand);
    // The one that missed least lately.
    SlotWay way() const { return way_; }

    // Gives a missing item a slot of the table, pinned, as the way has it. SlotTable::kNone: it
    // passes by, which is counted. may_pass: there is room for it elsewhere. Precondition: it is
    // not here.
    static int put(SlotTable& table, int item, SlotWay way, bool may_pass);

private:
    static constexpr std::size_t kWays = 3;

    std::array<SlotTable, kWays> tables_;
    // Misses, of which a token's counts half as much 64 tokens later.
    std::array<double, kWays> missed_{};
    SlotWay way_ = SlotWay::Rarest;
};

}  // namespace hearth
