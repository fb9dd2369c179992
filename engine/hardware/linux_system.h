// What Linux writes about the machine in /proc and /sys. Plain file reading, so that it compiles
// and is tested anywhere: `root` is "" for the running system or a folder that imitates one.
// Missing or unreadable files mean "unknown"; nothing here fails.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hardware/memory_info.h"
#include "hardware/memory_pressure.h"

namespace hearth::linux_system {

// /proc/meminfo, tightened by the limits of this process's cgroup and of all groups above it
// (v1 and v2, also when only a part of the tree is mounted, as in a container).
MemoryInfo read_memory_info(const std::string& root);

// VmHWM of /proc/self/status in bytes, 0 if unknown.
std::uint64_t read_peak_rss_bytes(const std::string& root);
std::uint64_t read_rss_bytes(const std::string& root);

// The time of all logical processors together since the machine was started, in clock ticks.
struct ProcessorTicks {
    std::uint64_t busy = 0;
    std::uint64_t idle = 0;  // or waiting for a disk
};
// The first line of /proc/stat.
std::optional<ProcessorTicks> read_processor_ticks(const std::string& root);

// The worse of /proc/pressure/memory and of memory.pressure of this process's cgroup (v2: v1 has
// none). One that is missing or odd leaves the other; Unsupported: both are.
Result<MemoryPressure> read_memory_pressure(const std::string& root);

// Processors' worth of time the tightest cgroup quota allows ("1.5"); empty: no quota.
std::optional<double> read_cpu_quota(const std::string& root);

// Distinct cores among the logical processors `allowed`; each one for itself where the topology
// is unknown. 0 only if `allowed` is empty.
int count_physical_cores(const std::string& root, std::span<const int> allowed);

// Those of the logical processors `allowed` that belong to the fast kind of a machine with several:
// by the kernel's capacities (at least 70 % of the greatest), else by its list of Intel's
// performance cores. All of them where the machine has one kind or nothing is known.
std::vector<int> performance_cpus(const std::string& root, std::span<const int> allowed);

// The last caches that the logical processors `allowed` read through, together: each counts once,
// however many processors share it. 0: unknown.
std::uint64_t read_cache_bytes(const std::string& root, std::span<const int> allowed);

// "model name" of /proc/cpuinfo or the board's name; empty if neither is there.
std::string read_cpu_name(const std::string& root);

}  // namespace hearth::linux_system
