#include "engine/vulkan/gpu_faults.h"

#include <cstdint>

namespace hearth::test {
namespace {

constexpr VkDeviceSize kLarge = VkDeviceSize{16} << 20;
constexpr int kLeftOut = 5;

// volk's function pointers are the process's own; these are the driver's.
PFN_vkCreateDevice create_device;
PFN_vkAllocateMemory allocate_memory;
PFN_vkCreateComputePipelines create_compute_pipelines;
PFN_vkQueueSubmit queue_submit;
PFN_vkGetSemaphoreCounterValue get_semaphore_counter_value;
PFN_vkCmdDispatch cmd_dispatch;
int n_dispatches;

VKAPI_ATTR VkResult VKAPI_CALL no_device(VkPhysicalDevice, const VkDeviceCreateInfo*,
                                         const VkAllocationCallbacks*, VkDevice*) {
    return VK_ERROR_INITIALIZATION_FAILED;
}

VKAPI_ATTR VkResult VKAPI_CALL no_memory(VkDevice, const VkMemoryAllocateInfo*,
                                         const VkAllocationCallbacks*, VkDeviceMemory*) {
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

VKAPI_ATTR VkResult VKAPI_CALL no_large_memory(VkDevice device, const VkMemoryAllocateInfo* info,
                                               const VkAllocationCallbacks* callbacks,
                                               VkDeviceMemory* memory) {
    return info->allocationSize > kLarge ? VK_ERROR_OUT_OF_DEVICE_MEMORY
                                         : allocate_memory(device, info, callbacks, memory);
}

VKAPI_ATTR VkResult VKAPI_CALL no_pipelines(VkDevice, VkPipelineCache, std::uint32_t,
                                            const VkComputePipelineCreateInfo*,
                                            const VkAllocationCallbacks*, VkPipeline*) {
    return VK_ERROR_INVALID_SHADER_NV;
}

VKAPI_ATTR VkResult VKAPI_CALL lost_submit(VkQueue, std::uint32_t, const VkSubmitInfo*, VkFence) {
    return VK_ERROR_DEVICE_LOST;
}

VKAPI_ATTR VkResult VKAPI_CALL lost_wait(VkDevice, VkSemaphore, std::uint64_t*) {
    return VK_ERROR_DEVICE_LOST;
}

VKAPI_ATTR void VKAPI_CALL leave_one_out(VkCommandBuffer commands, std::uint32_t x, std::uint32_t y,
                                         std::uint32_t z) {
    if (++n_dispatches != kLeftOut) {
        cmd_dispatch(commands, x, y, z);
    }
}

}  // namespace

GpuFaults::GpuFaults(GpuFault fault) {
    create_device = vkCreateDevice;
    allocate_memory = vkAllocateMemory;
    create_compute_pipelines = vkCreateComputePipelines;
    queue_submit = vkQueueSubmit;
    get_semaphore_counter_value = vkGetSemaphoreCounterValue;
    cmd_dispatch = vkCmdDispatch;
    n_dispatches = 0;
    switch (fault) {
        case GpuFault::NoDevice:
            vkCreateDevice = no_device;
            break;
        case GpuFault::NoMemory:
            vkAllocateMemory = no_memory;
            break;
        case GpuFault::NoLargeMemory:
            vkAllocateMemory = no_large_memory;
            break;
        case GpuFault::ShaderRefused:
            vkCreateComputePipelines = no_pipelines;
            break;
        case GpuFault::SubmitLost:
            vkQueueSubmit = lost_submit;
            break;
        case GpuFault::WaitLost:
            vkGetSemaphoreCounterValue = lost_wait;
            break;
        case GpuFault::DispatchLeftOut:
            vkCmdDispatch = leave_one_out;
            break;
    }
}

GpuFaults::~GpuFaults() {
    vkCreateDevice = create_device;
    vkAllocateMemory = allocate_memory;
    vkCreateComputePipelines = create_compute_pipelines;
    vkQueueSubmit = queue_submit;
    vkGetSemaphoreCounterValue = get_semaphore_counter_value;
    vkCmdDispatch = cmd_dispatch;
}

}  // namespace hearth::test
