// A driver that refuses, loses its device, leaves work out or is late where a test wants it to:
// volk's functions are pointers, and some of them are replaced. Everything else goes to the real
// driver.
#pragma once

#include <cstdint>

namespace hearth::test {

enum class VulkanFaultKind {
    NoMemory,      // one vkAllocateMemory says VK_ERROR_OUT_OF_DEVICE_MEMORY
    NoObject,      // one call that makes anything else says VK_ERROR_OUT_OF_HOST_MEMORY
    NoPipeline,    // one vkCreateComputePipelines says VK_ERROR_UNKNOWN, as for a shader too hard
    LostAtSubmit,  // from one vkQueueSubmit on the device is lost: that one starts nothing any more
    LostAtWait,    // from one look at a semaphore on; looks that see the same again do not count
    NoDispatch,    // from one vkCmdDispatch on dispatches compute nothing
    LateSubmit,    // from one vkQueueSubmit on work reaches the device only when what it signals is
                   // waited for: a device as late as one may be
    PromptSubmit,  // from one vkQueueSubmit on each returns when its work has ended
};

// While it lives, the `number`-th call of the kind (1 is the next), by any thread, goes wrong. One
// at a time, and made after the Instance, whose creation sets the pointers anew.
class VulkanFault {
public:
    VulkanFault(VulkanFaultKind kind, std::int64_t number);
    ~VulkanFault();
    VulkanFault(const VulkanFault&) = delete;
    VulkanFault& operator=(const VulkanFault&) = delete;

    bool happened() const;  // so many calls were made
    // Allocations of memory made since this began and not freed.
    std::int64_t live_allocations() const;
};

}  // namespace hearth::test
