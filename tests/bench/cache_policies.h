// What stays in a cache of one layer's items. A token asks for a set of them at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "bench/trace.h"

namespace hearth::bench {

// Most policies give a slot to all that a token asks for, as far as there are slots. Those that
// *select* let an item that is worth less than all that is there pass by, through memory that all
// layers share. Which is meant stands in the name.
enum class CachePolicy : std::uint8_t {
    Lru,            // gives up what was used longest ago
    Lfu,            // gives up what was used least often; of those, longest ago
    LfuSelecting,   // the same, and selects
    LruK,           // gives up what was used twice longest ago
    LruKSelecting,  // the same, and selects
    Arc,            // adaptive: two lists, of items used once and more often, and their ghosts
    Ours,           // memory/slot_table.h
    OursInGroups,   // the same, 128 neighbours at a time: others of the token may give way to them
    OursOfExperts,  // a token's set at once, and of three ways the one that missed least lately
    Static,         // the most frequent of the tuning trace stay; selects
    Belady,         // knows the future: gives up what is used latest; selects. None misses less.
    kCount
};
std::string_view to_string(CachePolicy policy);

// A group of OursInGroups.
inline constexpr std::size_t kPinnedNeighbours = 128;

// One layer's cache. Empty at first.
class LayerCache {
public:
    virtual ~LayerCache() = default;
    // A token of the tuning trace: like use(), where a policy learns by being used.
    virtual void tune(std::span<const std::uint16_t> demand) { (void)use(demand); }
    // Between the tuning trace and the judged one.
    virtual void begin() {}
    // One token's demand, each item once. Returns how many were not there.
    virtual std::size_t use(std::span<const std::uint16_t> demand) = 0;
};

// judged: what Belady knows. 0 < n_slots.
std::unique_ptr<LayerCache> make_layer_cache(CachePolicy policy, std::size_t n_slots,
                                             const Trace& judged, std::size_t layer);

}  // namespace hearth::bench
