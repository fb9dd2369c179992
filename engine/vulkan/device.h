// One GPU, open: its queue, what its shaders may use, and the clock both sides go by.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include <hearth/result.h>
#include <volk.h>

#include "vulkan/instance.h"
#include "vulkan/physical_device.h"

namespace hearth::vulkan {

// What is taken from a device, so that the paths of lesser drivers run on a better one.
// HEARTH_VULKAN_WITHOUT names them:
// "integer-dot,cooperative-matrix,khr-cooperative-matrix,subgroups,memory-budget,large-bindings,
// shared-memory".
struct Restrictions {
    bool integer_dot = false;
    bool cooperative_matrix = false;      // of either extension
    bool khr_cooperative_matrix = false;  // NVIDIA's own is left
    bool subgroups = false;
    bool memory_budget = false;
    // At most 64 KiB, far below what Vulkan promises: so that small models' matrices are cut, too.
    bool large_bindings = false;
    bool shared_memory = false;  // a GPU with the processor's memory copies as if it had its own
};
// InvalidArgument: a name there is not.
Result<Restrictions> parse_restrictions(std::string_view names);
Result<Restrictions> requested_restrictions();

enum class MemoryKind {
    Device,    // the GPU's own; mapped only where GPU and processor share memory
    Shared,    // the GPU reads it over the bus, the processor writes it
    Readback,  // the GPU writes it over the bus, the processor reads it, through its caches
};

// Not thread-safe but for what Vulkan itself allows from several threads.
class Device {
public:
    // index: of Instance::gpus(). InvalidArgument: there is no such device; Unsupported: it cannot
    // compute, with the reason.
    static Result<std::shared_ptr<Device>> create(std::shared_ptr<Instance> instance, int index,
                                                  const Restrictions& restrictions);
    ~Device();
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    VkDevice handle() const { return device_; }
    VkQueue queue() const { return queue_; }
    std::uint32_t queue_family() const { return physical_.queue_family; }
    // Copies go on beside what queue() computes, if the device has engines for that; else it is
    // queue() itself.
    VkQueue copy_queue() const { return copy_queue_; }
    std::uint32_t copy_family() const { return physical_.copy_family; }
    const PhysicalDevice& physical() const { return physical_; }
    const ShaderFeatures& features() const { return physical_.features; }
    const Instance& instance() const { return *instance_; }

    // The type of memory to take for `kind` among those `type_bits` allows; -1: there is none.
    int memory_type(MemoryKind kind, std::uint32_t type_bits) const;
    bool is_coherent(int memory_type) const;

    // Of the heap weights lie in, as the driver counts now: what this process uses of it. 0: the
    // driver does not say.
    std::uint64_t used_bytes() const;

    // OutOfMemory, DeviceLost. Everything submitted has ended.
    Result<void> wait_idle();

private:
    Device() = default;

    std::shared_ptr<Instance> instance_;
    PhysicalDevice physical_;
    VkPhysicalDeviceMemoryProperties memory_{};
    VkDevice device_ = VK_NULL_HANDLE;
    VkQueue queue_ = VK_NULL_HANDLE;
    VkQueue copy_queue_ = VK_NULL_HANDLE;
};

// A timeline semaphore: a number that only grows, raised by the GPU or the processor and waited for
// by the other.
class Timeline {
public:
    static Result<Timeline> create(std::shared_ptr<Device> device);
    Timeline() = default;
    Timeline(Timeline&& other) noexcept { *this = std::move(other); }
    Timeline& operator=(Timeline&& other) noexcept;
    ~Timeline();

    VkSemaphore handle() const { return semaphore_; }
    Result<void> signal(std::uint64_t value);
    // Spins a while, since a sleep costs more than a layer, then sleeps. DeviceLost: also when the
    // value did not come within `seconds_max`.
    Result<void> wait(std::uint64_t value, double seconds_max);

private:
    std::shared_ptr<Device> device_;
    VkSemaphore semaphore_ = VK_NULL_HANDLE;
};

}  // namespace hearth::vulkan
