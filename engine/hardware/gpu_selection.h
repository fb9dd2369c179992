// Which GPU a model is given to.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hearth/result.h>

#include "hardware/gpu_info.h"
#include "hardware/gpu_probe.h"

namespace hearth {

struct GpuSelection {
    int chosen = -1;  // a place in the list that was given; -1: none
    // One a device: why it is left out, a sentence without its end; empty: it is the chosen one.
    std::vector<std::string> left_out;
};

// wanted:
//   auto    the best that can compute and whose probe did not fail: discrete before integrated
//           before virtual before any other; of one kind the one that reads faster, where both were
//           measured, else the one with more memory, else the first. A processor that pretends to
//           be a GPU (GpuKind::Cpu) comes last and only with `allow_cpu`. None is an answer.
//   none    none
//   digits  the device with that GpuInfo::index
//   text    the device whose name is this or, if none is, has this in it, whatever the case
// A device asked for by index or name is chosen even if its probe failed. probes: one a device, in
// the order of gpus. InvalidArgument: nothing has that index or name, or several have that name;
// the message lists what there is. Unsupported: this version cannot compute on it. Both: field
// "gpu".
Result<GpuSelection> select_gpu(std::span<const GpuInfo> gpus, std::span<const GpuProbe> probes,
                                std::string_view wanted, bool allow_cpu);

}  // namespace hearth
