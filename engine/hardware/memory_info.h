// How much RAM there is and how much this process may have.
#pragma once

#include <cstdint>
#include <optional>

namespace hearth {

struct MemoryInfo {
    std::uint64_t total_bytes = 0;
    std::uint64_t available_bytes = 0;  // without pushing others out; the limit applied
    std::optional<std::uint64_t>
        limit_bytes;  // cgroup v1 or v2, job object; the tightest up the tree
};

MemoryInfo read_memory_info();

// Most memory this process held so far (VmHWM, PeakWorkingSetSize); 0 if the system does not say.
std::uint64_t peak_rss_bytes();
// What it holds now (VmRSS, WorkingSetSize); 0 likewise.
std::uint64_t rss_bytes();

}  // namespace hearth
