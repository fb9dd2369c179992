#include "vulkan/probe.h"

#include <utility>

namespace hearth::vulkan {
namespace {

// Speeds are measured on a second device: NVIDIA's driver raises the clocks for some seconds when
// one is made, lets them fall while the pipelines of the first one are made, and is slow to raise
// them again. An H200 gave a quarter of its speed then.
Result<GpuSpeeds> check_and_measure(const std::shared_ptr<Instance>& instance, int index,
                                    const Restrictions& restrictions) {
    auto device = Device::create(instance, index, restrictions);
    if (!device) {
        return std::move(device).error();
    }
    if (auto checked = check_answers(*device); !checked) {
        return std::move(checked).error();
    }
    device->reset();
    device = Device::create(instance, index, restrictions);
    if (!device) {
        return std::move(device).error();
    }
    return measure_speeds(*device);
}

}  // namespace

GpuProbe probe(const std::shared_ptr<Instance>& instance, int index,
               const Restrictions& restrictions) {
    GpuProbe result;
    result.verdict = GpuVerdict::Failed;
    if (const auto gpus = instance->gpus();
        gpus && index >= 0 && static_cast<std::size_t>(index) < gpus->size()) {
        result.uuid = (*gpus)[static_cast<std::size_t>(index)].uuid;
    }
    const auto speeds = check_and_measure(instance, index, restrictions);
    if (!speeds) {
        result.reason = speeds.error().message;
        return result;
    }
    result.verdict = GpuVerdict::Ok;
    result.speeds = *speeds;
    return result;
}

}  // namespace hearth::vulkan
