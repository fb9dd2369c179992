// Access to the drivers: the loader, one Vulkan instance, and the list of devices.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <hearth/result.h>
#include <volk.h>

#include "hardware/gpu_info.h"

namespace hearth::vulkan {

// What Khronos' validation layer checks.
enum class Validation { Off, On, Synchronization };
Validation validation_from(std::string_view name);  // "on", "sync"; anything else: Off

// One instance is created and shared by everything that uses a device, because drivers cope badly
// with several. Thread-safe.
class Instance {
public:
    // drivers: Environment::vulkan_drivers.
    // Unsupported: there is no loader, no driver, or no validation layer where one was asked for.
    static Result<std::shared_ptr<Instance>> create(Validation validation,
                                                    const std::string& drivers = {});
    ~Instance();
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;

    VkInstance handle() const { return instance_; }
    // The devices in the driver's order. GpuInfo::index is the place in this list. The list may
    // change between calls.
    Result<std::vector<VkPhysicalDevice>> physical_devices() const;
    Result<std::vector<GpuInfo>> gpus() const;

    // How many errors and warnings the validation layer gave so far, and the first of them.
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
