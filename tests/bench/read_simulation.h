// What a token's misses cost the disk: how many reads they become where neurons lie in the file in
// an order of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "bench/trace.h"

namespace hearth::bench {

enum class FileOrder : std::uint8_t {
    AsTraced,        // the file's own
    Hottest,         // as pack has it: the most frequent of the tuning trace first
    AskedTogether,   // a chain of neurons that the tuning trace asks for together
    MissedTogether,  // the same of what a cache misses of it
    Random,
    kCount
};
std::string_view to_string(FileOrder order);

// [n_layer, n_items]: which item lies at each place. n_slots: of a layer's cache, for
// MissedTogether.
std::vector<std::vector<std::uint16_t>> file_order(const Trace& tuning, FileOrder order,
                                                   std::size_t n_slots);
// The trace as if items were numbered by their places.
Trace in_order(const Trace& trace, const std::vector<std::vector<std::uint16_t>>& order);

struct ReadRules {
    std::uint64_t record_bytes = 7168;  // of one item
    std::uint64_t alignment = 512;
    std::uint64_t merge_gap_bytes = 16 << 10;
    std::uint64_t largest_read_bytes = 256 << 10;
};
// Of a token, in the mean.
struct Reads {
    double misses = 0, reads = 0, bytes = 0;
};
// What SlotTable misses of the judged trace, read as ReadOrder would, in the groups of neighbours
// that the processor computes. at_once: each group is pinned and read by itself; otherwise what is
// here of all groups is pinned first, if they fit. The tuning trace goes first.
Reads replay_reads(const Trace& tuning, const Trace& judged, std::size_t n_slots, bool at_once,
                   const ReadRules& rules);

}  // namespace hearth::bench
