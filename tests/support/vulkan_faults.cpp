#include "support/vulkan_faults.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <iterator>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "base/assert.h"
#include "vulkan/device.h"  // and with it volk's pointers

namespace hearth::test {
namespace {

// One batch of a vkQueueSubmit, with copies of all it points to.
struct LateWork {
    LateWork(VkQueue on, const VkSubmitInfo& from)
        : queue(on),
          waits(from.pWaitSemaphores, from.pWaitSemaphores + from.waitSemaphoreCount),
          stages(from.pWaitDstStageMask, from.pWaitDstStageMask + from.waitSemaphoreCount),
          commands(from.pCommandBuffers, from.pCommandBuffers + from.commandBufferCount),
          signals(from.pSignalSemaphores, from.pSignalSemaphores + from.signalSemaphoreCount),
          info(from) {
        const auto* timeline = static_cast<const VkTimelineSemaphoreSubmitInfo*>(from.pNext);
        if (timeline != nullptr) {
            HEARTH_ASSERT(timeline->sType == VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO &&
                          timeline->pNext == nullptr);
            wait_values.assign(timeline->pWaitSemaphoreValues,
                               timeline->pWaitSemaphoreValues + timeline->waitSemaphoreValueCount);
            signal_values.assign(
                timeline->pSignalSemaphoreValues,
                timeline->pSignalSemaphoreValues + timeline->signalSemaphoreValueCount);
            values = *timeline;
            values.pWaitSemaphoreValues = wait_values.data();
            values.pSignalSemaphoreValues = signal_values.data();
            info.pNext = &values;
        }
        info.pWaitSemaphores = waits.data();
        info.pWaitDstStageMask = stages.data();
        info.pCommandBuffers = commands.data();
        info.pSignalSemaphores = signals.data();
    }

    // Whether this waits for what the other one signals.
    bool waits_for(const LateWork& other) const {
        for (std::size_t i = 0; i < waits.size(); ++i) {
            if (other.signals_to(waits[i], wait_values[i])) {
                return true;
            }
        }
        return false;
    }
    bool signals_to(VkSemaphore semaphore, std::uint64_t value) const {
        for (std::size_t i = 0; i < signals.size(); ++i) {
            if (signals[i] == semaphore && signal_values[i] >= value) {
                return true;
            }
        }
        return false;
    }

    VkQueue queue;
    std::vector<VkSemaphore> waits;
    std::vector<VkPipelineStageFlags> stages;
    std::vector<VkCommandBuffer> commands;
    std::vector<VkSemaphore> signals;
    std::vector<std::uint64_t> wait_values, signal_values;
    VkTimelineSemaphoreSubmitInfo values{};
    VkSubmitInfo info;
};

struct State {
    VulkanFaultKind kind{};
    std::int64_t number = 0;
    std::atomic<std::int64_t> calls = 0;
    std::atomic<std::int64_t> live = 0;
    std::mutex mutex;  // of what was seen last
    VkSemaphore seen_semaphore = VK_NULL_HANDLE;
    std::uint64_t seen_value = 0;
    std::mutex late_mutex;
    std::deque<std::unique_ptr<LateWork>> late;  // in the order it was submitted
    std::set<VkCommandBuffer> once;              // recorded to be submitted once: copies

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
         Making<vkEndCommandBuffer>, Making<vkCreateQueryPool>, Making<vkCreateDescriptorPool>,
         Making<vkAllocateDescriptorSets>, Making<vkCreateDescriptorSetLayout>,
         Making<vkCreatePipelineLayout>, Making<vkCreateShaderModule>>;

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

// Gives the device what is late, in its order, up to the first that raises `semaphore` to `value`;
// null: all of it. Nothing where none of it does. Copies that none of it waits for come later
// still: they have a queue of their own on most devices.
VkResult hand_over(VkSemaphore semaphore, std::uint64_t value) {
    const std::lock_guard lock(state->late_mutex);
    const auto last =
        semaphore == VK_NULL_HANDLE
            ? state->late.end()
            : std::find_if(state->late.begin(), state->late.end(),
                           [&](const auto& work) { return work->signals_to(semaphore, value); });
    std::size_t n = static_cast<std::size_t>(last - state->late.begin());
    if (semaphore != VK_NULL_HANDLE) {
        n = last == state->late.end() ? 0 : n + 1;
    }
    std::vector<std::unique_ptr<LateWork>> works(n);
    std::move(state->late.begin(), state->late.begin() + static_cast<std::ptrdiff_t>(n),
              works.begin());
    state->late.erase(state->late.begin(), state->late.begin() + static_cast<std::ptrdiff_t>(n));
    const auto is_waited_for = [&](const LateWork& copy) {
        return std::any_of(works.begin(), works.end(), [&](const auto& work) {
            return work != nullptr && work->waits_for(copy);
        });
    };
    VkResult result = VK_SUCCESS;
    std::vector<std::unique_ptr<LateWork>> held;
    for (auto& work : works) {
        const bool is_copy = !work->commands.empty() && state->once.contains(work->commands[0]);
        if (is_copy && semaphore != VK_NULL_HANDLE && work != works.back() &&
            !is_waited_for(*work)) {
            held.push_back(std::move(work));
        } else if (result == VK_SUCCESS) {
            result = Replaced<vkQueueSubmit>::real(work->queue, 1, &work->info, VK_NULL_HANDLE);
        }
    }
    state->late.insert(state->late.begin(), std::make_move_iterator(held.begin()),
                       std::make_move_iterator(held.end()));
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL queue_submit(VkQueue queue, std::uint32_t count,
                                            const VkSubmitInfo* infos, VkFence fence) {
    if (state->goes_wrong(VulkanFaultKind::LateSubmit) ||
        (state->kind == VulkanFaultKind::LateSubmit && state->gone_wrong())) {
        HEARTH_ASSERT(fence == VK_NULL_HANDLE);
        const std::lock_guard lock(state->late_mutex);
        for (std::uint32_t i = 0; i < count; ++i) {
            state->late.push_back(std::make_unique<LateWork>(queue, infos[i]));
        }
        return VK_SUCCESS;
    }
    if (state->goes_wrong(VulkanFaultKind::LostAtSubmit) || state->lost()) {
        return VK_ERROR_DEVICE_LOST;
    }
    const bool prompt = state->goes_wrong(VulkanFaultKind::PromptSubmit) ||
                        (state->kind == VulkanFaultKind::PromptSubmit && state->gone_wrong());
    const VkResult result = Replaced<vkQueueSubmit>::real(queue, count, infos, fence);
    return prompt && result == VK_SUCCESS ? vkQueueWaitIdle(queue) : result;
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
    for (std::uint32_t i = 0; i < info->semaphoreCount; ++i) {
        if (const VkResult late = hand_over(info->pSemaphores[i], info->pValues[i]);
            late != VK_SUCCESS) {
            return late;
        }
    }
    return Replaced<vkWaitSemaphores>::real(device, info, timeout);
}

// What a lost device was doing has ended one way or the other, so it really is waited for.
VKAPI_ATTR VkResult VKAPI_CALL device_wait_idle(VkDevice device) {
    const VkResult late = hand_over(VK_NULL_HANDLE, 0);
    const VkResult result = late == VK_SUCCESS ? Replaced<vkDeviceWaitIdle>::real(device) : late;
    return state->lost() ? VK_ERROR_DEVICE_LOST : result;
}

VKAPI_ATTR VkResult VKAPI_CALL begin_commands(VkCommandBuffer commands,
                                              const VkCommandBufferBeginInfo* info) {
    if (state->goes_wrong(VulkanFaultKind::NoObject)) {
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    if ((info->flags & VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT) != 0) {
        const std::lock_guard lock(state->late_mutex);
        state->once.insert(commands);
    }
    return Replaced<vkBeginCommandBuffer>::real(commands, info);
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
    Replaced<vkBeginCommandBuffer>::by(begin_commands);
    Replaced<vkCmdDispatch>::by(dispatch);
}

VulkanFault::~VulkanFault() {
    hand_over(VK_NULL_HANDLE, 0);
    Makers::undo();
    Replaced<vkAllocateMemory>::undo();
    Replaced<vkFreeMemory>::undo();
    Replaced<vkCreateComputePipelines>::undo();
    Replaced<vkQueueSubmit>::undo();
    Replaced<vkGetSemaphoreCounterValue>::undo();
    Replaced<vkWaitSemaphores>::undo();
    Replaced<vkDeviceWaitIdle>::undo();
    Replaced<vkBeginCommandBuffer>::undo();
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
