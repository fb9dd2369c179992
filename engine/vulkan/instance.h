// The door to the drivers: the loader, one instance, the devices there are.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include <hearth/result.h>
#include <volk.h>

#include "hardware/gpu_info.h"

namespace hearth::vulkan {

// What Khronos' validation layer looks at. HEARTH_VULKAN_VALIDATION=on|sync asks for it.
enum class Validation { Off, On, Synchronization };
Validation requested_validation();

// Created once and shared by all that use a device: drivers dislike more. Thread-safe.
class Instance {
public:
    // Unsupported: there is no loader, no driver, or no validation layer where one was asked for.
    static Result<std::shared_ptr<Instance>> create(Validation validation);
    ~Instance();
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;

    VkInstance handle() const { return instance_; }
    // In the driver's order; GpuInfo::index is the place here. May change between calls.
    Result<std::vector<VkPhysicalDevice>> physical_devices() const;
    Result<std::vector<GpuInfo>> gpus() const;

    // Errors and warnings of the validation layer so far, and the first of them.
    int n_validation_messages() const { return log_.count; }
    std::string first_validation_message() const;

    struct ValidationLog {
        std::atomic<int> count = 0;
        std::string first;
    };

private:
    Instance() = default;

    VkInstance instance_ = VK_NULL_HANDLE;
    VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
    ValidationLog log_;
};

}  // namespace hearth::vulkan
