// The properties and abilities of this processor.
#pragma once

#include <cstdint>
#include <string>

namespace hearth {

struct CpuFeatures {
    std::string name;         // "AMD EPYC 9B45", "Apple M2"; "unknown" if the system does not say
    std::uint32_t flags = 0;  // cpu_flags; only what the operating system saves on a context switch
    int physical_cores = 1;   // usable by this process: affinity and container limits applied
    int logical_cores = 1;
    std::uint64_t cache_bytes = 0;  // the last caches of these cores, together; 0: unknown
    int performance_cores = 1;      // of the physical ones, those of the fast kind; all, if alike
};

// Cheap; asks the system anew each time.
CpuFeatures detect_cpu_features();

}  // namespace hearth
