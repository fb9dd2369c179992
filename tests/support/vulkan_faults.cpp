#include "support/vulkan_faults.h"

#include <atomic>
#include <mutex>

#include "base/assert.h"
#include "vulkan/device.h"  // and with it volk's pointers

namespace hearth::test {
namespace {

struct State {
    VulkanFaultKind kind{};
    std::int64_t number = 0;
    std::atomic<std::int64_t> calls = 0;
    std::atomic<std::int64_t> live = 0;
    std::mutex mutex;  // of what was seen last
    VkSemaphore seen_semaphore = VK_NULL_HANDLE;
    std::uint64_t seen_value = 0;

    bool goes_wrong(VulkanFaultKind asked) { return kind == asked && ++calls == number; }
    bool gone_wrong() const { return calls >= number; }
    bool lost() const {
        return (kind == VulkanFaultKind::LostAtSubmit || kind == VulkanFaultKind::LostAtWait) &&
               gone_wrong();
    }
};
State* state = nullptr;

// A pointer of volk's, what it was, and what stands there meanwhile.
template <auto& pointer>
struct Replaced {
    static inline std::remove_reference_t<decltype(pointer)> real = nullptr;
    static void by(std::remove_reference_t<decltype(pointer)> other) {
        real = pointer;
        pointer = other;
    }
    static void undo() { pointer = real; }
};

// Functions that make objects and differ in their arguments only.
template <auto& pointer>
struct Making : Replaced<pointer> {
    template <class... Arguments>
    static VKAPI_ATTR VkResult VKAPI_CALL call(Arguments... arguments) {
        if (state->goes_wrong(VulkanFaultKind::NoObject)) {
            return VK_ERROR_OUT_OF_HOST_MEMORY;
        }
        return Replaced<pointer>::real(arguments...);
    }
    static void begin() { Replaced<pointer>::by(&call); }
};

template <class... Kinds>
struct Each {
    static void begin() { (Kinds::begin(), ...); }
    static void undo() { (Kinds::undo(), ...); }
};
using Makers =
    Each<Making<vkCreateBuffer>, Making<vkBindBufferMemory>, Making<vkMapMemory>,
         Making<vkCreateSemaphore>, Making<vkCreateCommandPool>, Making<vkAllocateCommandBuffers>,
         Making<vkBeginCommandBuffer>, Making<vkEndCommandBuffer>, Making<vkCreateQueryPool>,
         Making<vkCreateDescriptorPool>, Making<vkAllocateDescriptorSets>,
         Making<vkCreateDescriptorSetLayout>, Making<vkCreatePipelineLayout>,
         Making<vkCreateShaderModule>>;

VKAPI_ATTR VkResult VKAPI_CALL allocate_memory(VkDevice device, const VkMemoryAllocateInfo* info,
                                               const VkAllocationCallbacks* callbacks,
                                               VkDeviceMemory* memory) {
    if (state->goes_wrong(VulkanFaultKind::NoMemory)) {
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    const VkResult result = Replaced<vkAllocateMemory>::real(device, info, callbacks, memory);
    state->live += result == VK_SUCCESS ? 1 : 0;
    return result;
}

VKAPI_ATTR void VKAPI_CALL free_memory(VkDevice device, VkDeviceMemory memory,
                                       const VkAllocationCallbacks* callbacks) {
    state->live -= memory != VK_NULL_HANDLE ? 1 : 0;
    Replaced<vkFreeMemory>::real(device, memory, callbacks);
}

VKAPI_ATTR VkResult VKAPI_CALL create_pipelines(VkDevice device, VkPipelineCache cache,
                                                std::uint32_t count,
                                                const VkComputePipelineCreateInfo* infos,
                                                const VkAllocationCallbacks* callbacks,
                                                VkPipeline* pipelines) {
    if (state->goes_wrong(VulkanFaultKind::NoPipeline)) {
        return VK_ERROR_UNKNOWN;
    }
    if (state->goes_wrong(VulkanFaultKind::NoObject)) {
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    return Replaced<vkCreateComputePipelines>::real(device, cache, count, infos, callbacks,
                                                    pipelines);
}

VKAPI_ATTR VkResult VKAPI_CALL queue_submit(VkQueue queue, std::uint32_t count,
                                            const VkSubmitInfo* infos, VkFence fence) {
    if (state->goes_wrong(VulkanFaultKind::LostAtSubmit) || state->lost()) {
        return VK_ERROR_DEVICE_LOST;
    }
    return Replaced<vkQueueSubmit>::real(queue, count, infos, fence);
}

VKAPI_ATTR VkResult VKAPI_CALL counter_value(VkDevice device, VkSemaphore semaphore,
                                             std::uint64_t* value) {
    const VkResult result = Replaced<vkGetSemaphoreCounterValue>::real(device, semaphore, value);
    {
        const std::lock_guard lock(state->mutex);
        const bool fresh = semaphore != state->seen_semaphore || *value != state->seen_value;
        state->seen_semaphore = semaphore;
        state->seen_value = *value;
        if (fresh && state->goes_wrong(VulkanFaultKind::LostAtWait)) {
            return VK_ERROR_DEVICE_LOST;
        }
    }
    return state->lost() ? VK_ERROR_DEVICE_LOST : result;
}

VKAPI_ATTR VkResult VKAPI_CALL wait_semaphores(VkDevice device, const VkSemaphoreWaitInfo* info,
                                               std::uint64_t timeout) {
    if (state->goes_wrong(VulkanFaultKind::LostAtWait) || state->lost()) {
        return VK_ERROR_DEVICE_LOST;
    }
    return Replaced<vkWaitSemaphores>::real(device, info, timeout);
}

// What a lost device was doing has ended one way or the other, so it really is waited for.
VKAPI_ATTR VkResult VKAPI_CALL device_wait_idle(VkDevice device) {
    const VkResult result = Replaced<vkDeviceWaitIdle>::real(device);
    return state->lost() ? VK_ERROR_DEVICE_LOST : result;
}

VKAPI_ATTR void VKAPI_CALL dispatch(VkCommandBuffer commands, std::uint32_t x, std::uint32_t y,
                                    std::uint32_t z) {
    if (state->goes_wrong(VulkanFaultKind::NoDispatch) ||
        (state->kind == VulkanFaultKind::NoDispatch && state->gone_wrong())) {
        return;
    }
    Replaced<vkCmdDispatch>::real(commands, x, y, z);
}

}  // namespace

VulkanFault::VulkanFault(VulkanFaultKind kind, std::int64_t number) {
    HEARTH_ASSERT(state == nullptr && vkAllocateMemory != nullptr);
    state = new State;
    state->kind = kind;
    state->number = number;
    Makers::begin();
    Replaced<vkAllocateMemory>::by(allocate_memory);
    Replaced<vkFreeMemory>::by(free_memory);
    Replaced<vkCreateComputePipelines>::by(create_pipelines);
    Replaced<vkQueueSubmit>::by(queue_submit);
    Replaced<vkGetSemaphoreCounterValue>::by(counter_value);
    Replaced<vkWaitSemaphores>::by(wait_semaphores);
    Replaced<vkDeviceWaitIdle>::by(device_wait_idle);
    Replaced<vkCmdDispatch>::by(dispatch);
}

VulkanFault::~VulkanFault() {
    Makers::undo();
    Replaced<vkAllocateMemory>::undo();
    Replaced<vkFreeMemory>::undo();
    Replaced<vkCreateComputePipelines>::undo();
    Replaced<vkQueueSubmit>::undo();
    Replaced<vkGetSemaphoreCounterValue>::undo();
    Replaced<vkWaitSemaphores>::undo();
    Replaced<vkDeviceWaitIdle>::undo();
    Replaced<vkCmdDispatch>::undo();
    delete state;
    state = nullptr;
}

bool VulkanFault::happened() const {
    return state->gone_wrong();
}

std::int64_t VulkanFault::live_allocations() const {
    return state->live;
}

}  // namespace hearth::test
