// The GPUs of this machine, what is known of them, and which one a model is given to.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <hearth/result.h>

#include "base/environment.h"
#include "hardware/gpu_info.h"
#include "hardware/gpu_list.h"
#include "hardware/gpu_probe.h"
#include "hardware/gpu_selection.h"

namespace hearth {

struct KnownGpus {
    std::vector<GpuInfo> gpus;     // as the drivers list them
    std::vector<GpuProbe> probes;  // one a device, in their order
    std::string none;              // why there are no devices, a sentence without its end
    std::string without;           // GpuProbe::without of this process
    // GpuList's: indices are of what these drivers list.
    std::string drivers, left_out;
};

// How drivers are asked and devices are tried.
struct GpuTrials {
    // A program that answers "probe-gpu list" with what tools::list_gpus_here() gives and
    // "probe-gpu INDEX" with what tools::probe_gpu_here() gives: the one that is running. Empty:
    // none are tried, and drivers are left alone.
    std::string program{};
    std::string cache_folder{};  // where what comes of it is kept; empty: nowhere
    // A driver without shaders in its cache takes more than 5 seconds (H100).
    // Environment::gpu_trial is taken instead.
    std::chrono::milliseconds time_max{12'000};
    // Without a program drivers are asked in this process: who names a GPU wants it.
    bool drivers_here = false;
    Environment environment{};
};

enum class Listing {
    Kept,  // what the cache folder holds, if the drivers are as they were then
    Anew,
};

// Lists the devices, with the probes that the cache folder holds of them. Drivers crash and hang,
// so they are asked in a child process: this one opens no driver. Where that fails, each driver is
// asked in a child of its own, and those that fail again are left out. No loader, no driver, or
// drivers that all fail are a normal state: no devices. A listing that failed is asked for again as
// a trial that ran out of time is. InvalidArgument: as check_gpu_restrictions().
Result<KnownGpus> find_gpus(const GpuTrials& trials, Listing listing = Listing::Kept);

// Tries a device in a child process, which is killed when it takes too long: trials.time_max, and
// twice as much for every timeout of `before`. A crash, a hang, a
// wrong answer, an error are the verdict Failed. Unprobed: the program could not be started, or
// drivers list another device there; `reason` says so. Does not fill in GpuProbe::without.
GpuProbe try_gpu(const GpuInfo& gpu, const GpuTrials& trials, const GpuProbe& before = {});

// Tries device `which` of the list, notes the verdict there and keeps it in the cache folder.
// What is noted there already counts as the trial before.
void try_and_keep(KnownGpus& known, std::size_t which, const GpuTrials& trials);

// select_gpu(), where the device that would be taken is tried first if nothing is known of it or
// may_try_again(); when that fails, "auto" goes on to the next best. Devices that would not be
// taken are not touched. Environment::cpu_counts_as_gpu lets "auto" take a processor that pretends
// to be a GPU. Errors as select_gpu().
Result<GpuSelection> choose_gpu(KnownGpus& known, std::string_view wanted, const GpuTrials& trials);

// What the drivers list when this process asks them. A driver may crash or hang, and this process
// with it.
GpuList ask_drivers(const Environment& environment);

}  // namespace hearth
