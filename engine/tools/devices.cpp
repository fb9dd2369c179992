#include <algorithm>

#include <hearth/tools.h>

#include "base/guarded.h"
#include "hardware/bandwidth.h"
#include "hardware/core_scaling.h"
#include "hardware/cpu_features.h"
#include "hardware/memory_info.h"
#include "session/make_executors.h"

namespace hearth::tools {

Result<DeviceReport> devices() {
    return guarded({}, [&]() -> Result<DeviceReport> {
        const CpuFeatures cpu = detect_cpu_features();
        DeviceReport report;
        report.cpu_name = cpu.name;
        report.physical_cores = cpu.physical_cores;
        report.logical_cores = cpu.logical_cores;
        report.performance_cores = cpu.performance_cores;
        const std::vector<ThreadSpeed> speeds = measure_thread_speeds(thread_candidates(cpu));
        report.threads = most_useful_threads(speeds);
        for (const ThreadSpeed& point : speeds) {
            report.thread_speeds.push_back({point.threads, point.speed});
        }
        report.isa = runnable_isas(cpu.flags);

        report.selected_isa = requested_isa();
        if (report.selected_isa.empty()) {
            report.selected_isa = report.isa.back();  // "generic" is always there
        } else if (std::find(report.isa.begin(), report.isa.end(), report.selected_isa) ==
                   report.isa.end()) {
            return Error{ErrorCode::InvalidArgument,
                         "HEARTH_CPU asks for \"" + report.selected_isa +
                             "\", which this processor cannot run",
                         {},
                         "HEARTH_CPU"};
        }

        const MemoryInfo memory = read_memory_info();
        report.ram_total_bytes = memory.total_bytes;
        report.ram_available_bytes = memory.available_bytes;
        report.ram_limit_bytes = memory.limit_bytes;
        report.ram_read_gb_per_s = measure_ram_read_gb_per_s(report.threads);
        return report;
    });
}

}  // namespace hearth::tools
