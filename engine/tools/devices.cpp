#include <algorithm>

#include <hearth/tools.h>

#include "base/guarded.h"
#include "flash/disk_probe.h"
#include "flash/disk_probe_file.h"
#include "hardware/bandwidth.h"
#include "hardware/core_scaling.h"
#include "hardware/cpu_features.h"
#include "hardware/memory_info.h"
#include "session/gpus.h"
#include "session/processor.h"

namespace hearth::tools {
namespace {

std::string status_of(const GpuInfo& gpu, const GpuProbe& probe) {
    if (!gpu.unusable.empty()) {
        return "skipped";
    }
    switch (probe.verdict) {
        case GpuVerdict::Ok:
            return "ok";
        case GpuVerdict::Failed:
            return "failed";
        case GpuVerdict::Unprobed:
            break;
    }
    return "unprobed";
}

GpuReport report_of(const GpuInfo& gpu, const GpuProbe& probe) {
    GpuReport report{.index = gpu.index,
                     .name = gpu.name,
                     .kind = std::string(to_string(gpu.kind)),
                     .driver = gpu.driver,
                     .vulkan_version = gpu.vulkan_version,
                     .heaps = {},
                     .memory_bytes = gpu.memory_bytes(),
                     .available_bytes = gpu.available_bytes(),
                     .shares_ram = gpu.shares_ram,
                     .integer_dot = gpu.integer_dot,
                     .cooperative_matrix = gpu.cooperative_matrix,
                     .subgroup_size = gpu.subgroup_size,
                     .subgroup_size_min = gpu.subgroup_size_min,
                     .subgroup_size_max = gpu.subgroup_size_max,
                     .status = status_of(gpu, probe),
                     .chosen = false,
                     .reason = {},
                     .untried = {},
                     .speeds = {probe.speeds.read_gb_per_s, probe.speeds.to_gpu_gb_per_s,
                                probe.speeds.from_gpu_gb_per_s, probe.speeds.round_trip_us,
                                probe.speeds.gflop_per_s, probe.speeds.step_us}};
    for (const GpuHeap& heap : gpu.heaps) {
        report.heaps.push_back({heap.bytes, heap.available_bytes, heap.device_local});
    }
    if (probe.verdict == GpuVerdict::Unprobed) {
        report.untried = probe.reason;
    }
    return report;
}

Result<void> add_gpus(const DeviceOptions& options, const Environment& environment,
                      DeviceReport& report) {
    const GpuTrials trials{.program = options.program,
                           .cache_folder = options.cache_folder,
                           .environment = environment};
    auto found = find_gpus(trials, Listing::Anew);  // what memory is free changes
    if (!found) {
        return std::move(found).error();
    }
    KnownGpus& known = *found;
    report.no_gpus = known.none;
    report.drivers_left_out = known.left_out;
    for (std::size_t i = 0; options.probe && i < known.gpus.size(); ++i) {
        if (known.gpus[i].unusable.empty()) {
            known.probes[i] = GpuProbe();
            try_and_keep(known, i, trials);
        }
    }
    const auto selection =
        select_gpu(known.gpus, known.probes, "auto", environment.cpu_counts_as_gpu);
    if (!selection) {
        return selection.error();
    }
    for (std::size_t i = 0; i < known.gpus.size(); ++i) {
        GpuReport gpu = report_of(known.gpus[i], known.probes[i]);
        gpu.chosen = selection->chosen == static_cast<int>(i);
        gpu.reason = selection->left_out[i];
        report.gpus.push_back(std::move(gpu));
    }
    return {};
}

DiskReport report_of(const DiskProbe& probe) {
    DiskReport report{.path = probe.path,
                      .direct = probe.direct,
                      .why_not_direct = probe.why_not_direct,
                      .alignment_bytes = probe.alignment,
                      .sequential_gb_per_s = probe.sequential_bytes_per_s / 1e9,
                      .random = {},
                      .depth = probe.depth,
                      .largest_read_bytes = probe.largest_read_bytes,
                      .merge_gap_bytes = probe.merge_gap_bytes};
    for (const RandomReads& reads : probe.random) {
        report.random.push_back({reads.bytes, reads.depth, reads.per_s});
    }
    return report;
}

// The disk that was asked for comes first, then those that were measured before.
Result<void> add_disks(const DeviceOptions& options, DeviceReport& report) {
    std::vector<DiskProbe> known = read_disk_probes(options.cache_folder, version());
    if (!options.disk_file.empty()) {
        const std::string disk = disk_of(options.disk_file);
        auto place = std::find_if(known.begin(), known.end(), [&](const DiskProbe& one) {
            return !disk.empty() && one.disk == disk;
        });
        if (options.probe || place == known.end()) {
            auto probe = probe_disk(options.disk_file);
            if (!probe) {
                return std::move(probe).error();
            }
            // What cannot be kept is measured again next time.
            [[maybe_unused]] const auto kept =
                keep_disk_probe(options.cache_folder, version(), *probe);
            if (place != known.end()) {
                known.erase(place);
            }
            place = known.insert(known.begin(), *std::move(probe));
        }
        std::rotate(known.begin(), place, place + 1);
    }
    for (const DiskProbe& probe : known) {
        report.disks.push_back(report_of(probe));
    }
    return {};
}

}  // namespace

Result<DeviceReport> devices(const DeviceOptions& options) {
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

        const Environment environment = read_environment();
        report.selected_isa = environment.cpu;
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
        if (auto added = add_disks(options, report); !added) {
            return std::move(added).error();
        }
        if (auto added = add_gpus(options, environment, report); !added) {
            return std::move(added).error();
        }
        return report;
    });
}

}  // namespace hearth::tools
