// How fast a mixture larger than RAM could be with a cache of experts: the disk reads what a policy
// misses while everything else is computed, and nothing waits for anything but the slower of both.
#pragma once

#include <string>

#include "bench/cache_policies.h"
#include "bench/cache_report.h"
#include "bench/trace.h"

namespace hearth::bench {

struct CacheBoundInputs {
    double disk_bytes_per_second = 0;  // measured; above 0
    double seconds_in_ram = 0;         // a token's, measured with all of the model in memory
};

struct CacheBound {
    double hit_rate = 1;    // of what slots are asked for
    double disk_bytes = 0;  // a token's: of missing experts, and what is streamed
    double disk_seconds = 0;
    double tokens_per_second = 0;
};

// tuning, judged: asked_of_slots() of the report. A layer without slots misses all that it is asked
// for. Precondition: the traces have the report's layers.
CacheBound cache_bound(CachePolicy policy, const Trace& tuning, const Trace& judged,
                       const CacheReport& report, const CacheBoundInputs& machine);

// A table: LRU, LFU, static pinning, the engine's own policy replayed and Belady's; below it what
// the run did, and its share of the bound of LRU.
std::string cache_bound_table(const Trace& tuning, const Trace& judged, const CacheReport& report,
                              const CacheBoundInputs& machine);

}  // namespace hearth::bench
