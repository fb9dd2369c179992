// The outcome of a GPU's trial, and the text in which it is passed on and kept.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hardware/gpu_info.h"

namespace hearth {

// As measured; 0: not known.
struct GpuSpeeds {
    double read_gb_per_s = 0;      // shaders, from the memory weights lie in
    double to_gpu_gb_per_s = 0;    // copies, over the bus
    double from_gpu_gb_per_s = 0;  // likewise
    // The GPU tells the processor, the processor tells the GPU: once a layer.
    double round_trip_us = 0;
    double gflop_per_s = 0;  // shaders, products of many tokens
    // A dispatch that waits for the one before and reads next to nothing.
    double step_us = 0;
};

enum class GpuVerdict {
    Unprobed,
    Ok,
    Failed,  // it crashed, hung, answered wrong or with an error
};

struct GpuProbe {
    std::array<std::uint8_t, 16> uuid{};  // GpuInfo::uuid
    // What the shaders were kept from using, HEARTH_VULKAN_WITHOUT: another program ran then.
    std::string without;
    GpuVerdict verdict = GpuVerdict::Unprobed;
    std::string reason;  // Failed: why; Unprobed: why it could not be tried, if it was to be
    // Failed: at how many starts in a row it did not answer in time; 0: it failed otherwise.
    int timeouts = 0;
    GpuSpeeds speeds;  // Ok
};

// A trial that ran out of time, which a busy machine may be the reason for, is made again at the
// next start, with twice the time, and at this many starts altogether.
inline constexpr int kTrialStarts = 3;
inline bool may_try_again(const GpuProbe& probe) {
    return probe.timeouts > 0 && probe.timeouts < kTrialStarts;
}

// Whether the probe is of this device, by this driver, doing without the same things.
bool is_of(const GpuProbe& probe, const GpuInfo& gpu, std::string_view without);

// One line a device:
//   hearth gpus 3
//   <engine version> <uuid, 32 hex digits> <without, or -> ok <six speeds>
//   <engine version> <uuid> <without> failed <reason>
//   <engine version> <uuid> <without> late <timeouts> <reason>
// and a last line "end". Reasons lose control characters and what is beyond 300 bytes.
std::string format_gpu_probes(const std::vector<GpuProbe>& probes, std::string_view version);

// Reads what stands from the last first line in `text` on: drivers print things of their own before
// it. Devices of another version are left out. Empty: there is no such line, or anything after it
// is not as above.
std::optional<std::vector<GpuProbe>> parse_gpu_probes(std::string_view text,
                                                      std::string_view version);

}  // namespace hearth
