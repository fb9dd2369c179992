#include "hardware/memory_info.h"

#include <algorithm>

#include "hardware/linux_system.h"

#if defined(__APPLE__)
#include <mach/mach.h>
#include <sys/resource.h>
#include <sys/sysctl.h>
#elif defined(_WIN32)
#include <windows.h>
// psapi.h wants windows.h first
#include <psapi.h>
#endif

namespace hearth {

#if defined(_WIN32)

MemoryInfo read_memory_info() {
    MemoryInfo info;
    MEMORYSTATUSEX status = {};
    status.dwLength = sizeof status;
    if (GlobalMemoryStatusEx(&status)) {
        info.total_bytes = status.ullTotalPhys;
        info.available_bytes = status.ullAvailPhys;
    }
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION job = {};
    if (QueryInformationJobObject(nullptr, JobObjectExtendedLimitInformation, &job, sizeof job,
                                  nullptr)) {
        const DWORD flags = job.BasicLimitInformation.LimitFlags;
        const auto apply = [&](std::uint64_t limit, std::uint64_t used) {
            info.limit_bytes = std::min(limit, info.limit_bytes.value_or(limit));
            info.available_bytes = std::min(info.available_bytes, limit - std::min(limit, used));
        };
        PROCESS_MEMORY_COUNTERS counters = {};
        K32GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof counters);
        if ((flags & JOB_OBJECT_LIMIT_PROCESS_MEMORY) != 0) {
            apply(job.ProcessMemoryLimit, counters.PagefileUsage);
        }
        if ((flags & JOB_OBJECT_LIMIT_JOB_MEMORY) != 0) {
            apply(job.JobMemoryLimit, counters.PagefileUsage);
        }
    }
    return info;
}

std::uint64_t peak_rss_bytes() {
    PROCESS_MEMORY_COUNTERS counters = {};
    return K32GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof counters)
               ? counters.PeakWorkingSetSize
               : 0;
}

std::uint64_t rss_bytes() {
    PROCESS_MEMORY_COUNTERS counters = {};
    return K32GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof counters)
               ? counters.WorkingSetSize
               : 0;
}

#elif defined(__APPLE__)

MemoryInfo read_memory_info() {
    MemoryInfo info;
    std::size_t bytes = sizeof info.total_bytes;
    if (sysctlbyname("hw.memsize", &info.total_bytes, &bytes, nullptr, 0) != 0) {
        info.total_bytes = 0;
    }
    const mach_port_t host = mach_host_self();
    vm_size_t page_bytes = 0;
    vm_statistics64_data_t stats = {};
    mach_msg_type_number_t count = HOST_VM_INFO64_COUNT;
    if (host_page_size(host, &page_bytes) == KERN_SUCCESS &&
        host_statistics64(host, HOST_VM_INFO64, reinterpret_cast<host_info64_t>(&stats), &count) ==
            KERN_SUCCESS) {
        const std::uint64_t pages = std::uint64_t{stats.free_count} + stats.inactive_count +
                                    stats.purgeable_count + stats.speculative_count;
        info.available_bytes = std::min<std::uint64_t>(pages * page_bytes, info.total_bytes);
    }
    mach_port_deallocate(mach_task_self(), host);
    return info;
}

std::uint64_t peak_rss_bytes() {
    rusage usage = {};
    return getrusage(RUSAGE_SELF, &usage) == 0 ? static_cast<std::uint64_t>(usage.ru_maxrss) : 0;
}

std::uint64_t rss_bytes() {
    mach_task_basic_info info = {};
    mach_msg_type_number_t count = MACH_TASK_BASIC_INFO_COUNT;
    return task_info(mach_task_self(), MACH_TASK_BASIC_INFO, reinterpret_cast<task_info_t>(&info),
                     &count) == KERN_SUCCESS
               ? info.resident_size
               : 0;
}

#else

MemoryInfo read_memory_info() {
    return linux_system::read_memory_info("");
}

std::uint64_t peak_rss_bytes() {
    return linux_system::read_peak_rss_bytes("");
}

std::uint64_t rss_bytes() {
    return linux_system::read_rss_bytes("");
}

#endif

}  // namespace hearth
