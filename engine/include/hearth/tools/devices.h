// The processor, memory, disks and GPUs of this machine. For errors see hearth/tools.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <hearth/result.h>

namespace hearth::tools {

// ---- devices -----------------------------------------------------------------------------------

struct ThreadCount {
    int threads = 0;
    double speed = 0;  // arithmetic a second, relative to the first of the list
};

struct GpuReport {
    struct Heap {
        std::uint64_t bytes = 0;
        std::uint64_t available_bytes =
            0;  // to this process now; `bytes` if the driver does not say
        bool device_local = false;
    };
    // As measured in its trial; 0: unknown.
    struct Speeds {
        double read_gb_per_s = 0;    // shaders, from its own memory
        double to_gpu_gb_per_s = 0;  // copies, over the bus
        double from_gpu_gb_per_s = 0;
        double round_trip_us = 0;  // GPU signals processor, processor signals GPU
        double gflop_per_s = 0;    // shaders, products of many tokens
        double step_us = 0;        // a dispatch that waits for the one before, without its bytes
    };
    int index = 0;  // the value of EngineOptions::gpu; in the drivers' order
    std::string name;
    std::string kind;            // "discrete", "integrated", "virtual", "cpu", "other"
    std::string driver;          // "NVIDIA 580.159.04"
    std::string vulkan_version;  // "1.3.230"
    std::vector<Heap> heaps;
    std::uint64_t memory_bytes = 0;     // of the heap that would hold a model
    std::uint64_t available_bytes = 0;  // of the same heap
    bool shares_ram = false;
    bool integer_dot = false;         // multiplies packed bytes
    bool cooperative_matrix = false;  // has matrix units this version can use
    int subgroup_size = 0;            // 0: shaders may not use subgroups
    int subgroup_size_min = 0, subgroup_size_max = 0;
    // "ok": tried, its answers are right; "failed": tried, see reason; "skipped": this version
    // cannot compute on it; "unprobed".
    std::string status;
    bool chosen = false;  // "auto" takes it, as far as is known now
    std::string reason;   // why "auto" does not take it; empty: chosen
    std::string untried;  // why a trial that was asked for was not possible
    Speeds speeds;
};

// A disk, as measured on one of its files.
struct DiskReport {
    struct Random {
        std::uint64_t bytes = 0;  // of a read
        int depth = 0;            // reads in flight at once: the fastest number
        double per_s = 0;
    };
    std::string path;  // of the file
    bool direct = false;
    std::string why_not_direct;  // the figures are then 0
    std::uint64_t alignment_bytes = 0;
    double sequential_gb_per_s = 0;
    std::vector<Random> random;  // ascending
    // How the engine reads from it.
    int depth = 0;
    std::uint64_t largest_read_bytes = 0, merge_gap_bytes = 0;
};

struct DeviceReport {
    std::string cpu_name;
    std::vector<std::string> isa;  // kernel tables this processor can run
    std::string selected_isa;
    int physical_cores = 0;
    int logical_cores = 0;
    int performance_cores = 0;               // fast ones of the physical cores; all, if alike
    int threads = 0;                         // default for a large model, from the next line
    std::vector<ThreadCount> thread_speeds;  // measured by this call; ascending
    std::uint64_t ram_total_bytes = 0;
    std::uint64_t ram_available_bytes = 0;
    std::optional<std::uint64_t> ram_limit_bytes;  // a container's limit, if there is one
    double ram_read_gb_per_s = 0;                  // measured by this call
    std::vector<DiskReport> disks;                 // measured now or before
    std::vector<GpuReport> gpus;                   // in the order of the drivers
    std::string no_gpus;                           // why there are none
    std::string drivers_left_out;                  // which, and why; empty: none
};

struct DeviceOptions {
    // Tries every GPU anew, each in a process of its own that is killed after 5 s, and forgets
    // earlier outcomes. False: GPUs are listed with the outcomes of earlier trials. The disk of
    // disk_file is measured anew, too.
    bool probe = false;
    // A file whose disk is measured, if it was not before: takes 1.5 s. The file needs at least 16
    // MiB.
    std::string disk_file{};
    // The path of a program that prints list_gpus_here() when started with the arguments "probe-gpu
    // list", or probe_gpu_here(INDEX) with "probe-gpu INDEX", and ends. Front ends name themselves.
    // Empty: no driver is asked, and no GPU is listed.
    std::string program{};
    // Keeps outcomes, in a file for this machine's GPUs and this version; empty: nothing is kept.
    std::string cache_folder{};
};

// Takes about half a second: it measures. A process of its own asks the GPUs' drivers. No GPU, no
// loader and no driver, or one that crashes, are no errors. NotFound, NotAFile, PermissionDenied,
// ReadFailed, InvalidArgument (too small): disk_file.
Result<DeviceReport> devices(const DeviceOptions& options = {});

// Tries a GPU in this process: its driver may crash or hang. A process is started to do just this
// and ends after 30 s in any case. The text is for the process that started it; empty: out of
// memory.
std::string probe_gpu_here(int index);

// Asks the drivers for their devices, in this process. The text is for the process that started it;
// empty: out of memory.
std::string list_gpus_here();

}  // namespace hearth::tools
