// Tries a GPU: whether its answers are right, and how fast it is. Drivers crash and hang, so this
// runs in a process of its own (session/gpus.h).
#pragma once

#include <memory>

#include <hearth/result.h>

#include "hardware/gpu_probe.h"
#include "vulkan/device.h"
#include "vulkan/pipelines.h"

namespace hearth::vulkan {

// A small matrix of every type the shaders multiply with, times a vector, times a batch and, where
// they do that, row by row, in the forms this device takes for it, against gguf/rows.h in double
// precision. Internal: an answer is wrong; the message names product, place and both values. And
// whatever the driver says.
Result<void> check_answers(const std::shared_ptr<Device>& device);

// Takes up to 512 MiB of the GPU's memory and 64 MiB of the machine's, for some tenths of a second.
// OutOfMemory, DeviceLost.
Result<GpuSpeeds> measure_speeds(const std::shared_ptr<Device>& device);

// Both, on a device of its own. What goes wrong is the verdict. Does not fill in
// GpuProbe::without.
GpuProbe probe(const std::shared_ptr<Instance>& instance, int index,
               const Restrictions& restrictions);

}  // namespace hearth::vulkan
