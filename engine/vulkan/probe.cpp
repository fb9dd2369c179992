#include "vulkan/probe.h"

#include <utility>

namespace hearth::vulkan {
namespace {

Result<GpuSpeeds> check_and_measure(const std::shared_ptr<Device>& device) {
    if (auto checked = check_answers(device); !checked) {
        return std::move(checked).error();
    }
    return measure_speeds(device);
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
    auto device = Device::create(instance, index, restrictions);
    if (!device) {
        result.reason = device.error().message;
        return result;
    }
    const auto speeds = check_and_measure(*device);
    if (!speeds) {
        result.reason = speeds.error().message;
        return result;
    }
    result.verdict = GpuVerdict::Ok;
    result.speeds = *speeds;
    return result;
}

}  // namespace hearth::vulkan
