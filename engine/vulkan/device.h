// An open GPU: its queues, the features that its shaders may use, and the timeline semaphores by
// which GPU and processor wait for each other.
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

class Pipelines;

// Features that are taken from a device, so that the paths for lesser drivers run on a better one.
// Their names, as Environment::vulkan_without has them:
// "integer-dot,cooperative-matrix,khr-cooperative-matrix,subgroups,memory-budget,large-bindings,
// shared-memory".
struct Restrictions {
    bool integer_dot = false;
    bool cooperative_matrix = false;      // of either extension
    bool khr_cooperative_matrix = false;  // NVIDIA's own extension stays
    bool subgroups = false;
    bool memory_budget = false;
    // Bindings hold at most 64 KiB, far below what Vulkan promises. The matrices of small models
    // are then cut, too.
    bool large_bindings = false;
    bool shared_memory =
        false;  // a GPU that shares the processor's memory copies as if it had its own
};
// InvalidArgument: a name is unknown.
Result<Restrictions> parse_restrictions(std::string_view names);

enum class MemoryKind {
    Device,    // the GPU's own; mapped only where GPU and processor share memory
    Shared,    // the GPU reads it over the bus, the processor writes it
    Readback,  // the GPU writes it over the bus, the processor reads it, through its caches
};

// Not thread-safe, except where Vulkan itself allows several threads.
class Device {
public:
    // index: a place in Instance::gpus(). InvalidArgument: there is no such device. Unsupported: it
    // cannot compute; the message says why.
    static Result<std::shared_ptr<Device>> create(std::shared_ptr<Instance> instance, int index,
                                                  const Restrictions& restrictions);
    ~Device();
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    VkDevice handle() const { return device_; }
    VkQueue queue() const { return queue_; }
    std::uint32_t queue_family() const { return physical_.queue_family; }
    // A queue for copies that run beside the work of queue(), if the device has engines for copies;
    // else queue() itself.
    VkQueue copy_queue() const { return copy_queue_; }
    std::uint32_t copy_family() const { return physical_.copy_family; }
    const PhysicalDevice& physical() const { return physical_; }
    const ShaderFeatures& features() const { return physical_.features; }
    const Instance& instance() const { return *instance_; }

    // The memory type to take for `kind` among those that `type_bits` allows; -1: there is none.
    int memory_type(MemoryKind kind, std::uint32_t type_bits) const;

    // The bytes that this process uses of the heap in which weights lie, as the driver counts now.
    // 0: the driver does not say.
    std::uint64_t used_bytes() const;

    // The shaders that are ready to run, for all that computes on this device: a second model finds
    // the first one's.
    Pipelines& pipelines() { return *pipelines_; }

    // Waits until everything submitted has ended. OutOfMemory, DeviceLost.
    Result<void> wait_idle();

private:
    Device();

    std::shared_ptr<Instance> instance_;
    PhysicalDevice physical_;
    VkPhysicalDeviceMemoryProperties memory_{};
    VkDevice device_ = VK_NULL_HANDLE;
    VkQueue queue_ = VK_NULL_HANDLE;
    VkQueue copy_queue_ = VK_NULL_HANDLE;
    std::unique_ptr<Pipelines> pipelines_;
};

// A timeline semaphore is a number that only grows. The GPU or the processor raises it, and the
// other side waits for it.
class Timeline {
public:
    static Result<Timeline> create(std::shared_ptr<Device> device);
    Timeline() = default;
    Timeline(Timeline&& other) noexcept { *this = std::move(other); }
    Timeline& operator=(Timeline&& other) noexcept;
    ~Timeline();

    VkSemaphore handle() const { return semaphore_; }
    Result<void> signal(std::uint64_t value);
    // Spins for a while, because a sleep costs more than a layer, then sleeps. DeviceLost: the
    // device is lost, or the value did not come within `seconds_max`, ten times that for a driver
    // that computes on the processor.
    Result<void> wait(std::uint64_t value, double seconds_max);

private:
    std::shared_ptr<Device> device_;
    VkSemaphore semaphore_ = VK_NULL_HANDLE;
};

}  // namespace hearth::vulkan
