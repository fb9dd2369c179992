#include "vulkan/device.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "vulkan/check.h"
#include "vulkan/khr_cooperative_matrix.h"
#include "vulkan/pipelines.h"

namespace hearth::vulkan {
namespace {

using Clock = std::chrono::steady_clock;

void restrict(const Restrictions& without, PhysicalDevice& physical) {
    ShaderFeatures& features = physical.features;
    if (without.integer_dot) {
        features.integer_dot = false;
    }
    if (without.cooperative_matrix) {
        features.nv_cooperative_matrix = false;
    }
    // Matrix units need a subgroup of known size. Without subgroups no size can be demanded.
    if (without.cooperative_matrix || without.khr_cooperative_matrix ||
        (without.subgroups && features.subgroup_size_min != features.subgroup_size_max)) {
        features.khr_cooperative_matrix.clear();
    }
    if (without.subgroups) {
        features.subgroup_add = features.subgroup_shuffle = features.subgroup_size_control = false;
    }
    if (without.memory_budget) {
        physical.memory_budget = false;
    }
    if (without.shared_memory) {
        physical.info.shares_ram = false;
    }
    if (without.large_bindings) {
        constexpr std::uint64_t kSmall = std::uint64_t{64} << 10;
        features.storage_range_bytes_max = std::min(kSmall, features.storage_range_bytes_max);
    }
}

}  // namespace

Result<Restrictions> parse_restrictions(std::string_view names) {
    Restrictions without;
    while (!names.empty()) {
        const std::size_t comma = names.find(',');
        const std::string_view name = names.substr(0, comma);
        names = comma == std::string_view::npos ? std::string_view() : names.substr(comma + 1);
        if (name == "integer-dot") {
            without.integer_dot = true;
        } else if (name == "cooperative-matrix") {
            without.cooperative_matrix = true;
        } else if (name == "khr-cooperative-matrix") {
            without.khr_cooperative_matrix = true;
        } else if (name == "subgroups") {
            without.subgroups = true;
        } else if (name == "memory-budget") {
            without.memory_budget = true;
        } else if (name == "large-bindings") {
            without.large_bindings = true;
        } else if (name == "shared-memory") {
            without.shared_memory = true;
        } else if (!name.empty()) {
            return Error{ErrorCode::InvalidArgument,
                         std::string(1, '"').append(name).append(
                             "\" is nothing a device can be without; integer-dot, "
                             "cooperative-matrix, khr-cooperative-matrix, subgroups, "
                             "memory-budget, large-bindings and shared-memory are"),
                         {},
                         "HEARTH_VULKAN_WITHOUT"};
        }
    }
    return without;
}

Result<std::shared_ptr<Device>> Device::create(std::shared_ptr<Instance> instance, int index,
                                               const Restrictions& restrictions) {
    auto devices = instance->physical_devices();
    if (!devices) {
        return std::move(devices).error();
    }
    if (index < 0 || static_cast<std::size_t>(index) >= devices->size()) {
        return Error{ErrorCode::InvalidArgument,
                     "there is no GPU " + std::to_string(index) + "; the system lists " +
                         std::to_string(devices->size()),
                     {},
                     "gpu"};
    }
    std::shared_ptr<Device> self(new Device);
    self->instance_ = std::move(instance);
    self->physical_ = describe((*devices)[static_cast<std::size_t>(index)], index);
    PhysicalDevice& physical = self->physical_;
    if (!physical.info.unusable.empty()) {
        return Error{ErrorCode::Unsupported,
                     "the GPU " + physical.info.name + " cannot be used: " + physical.info.unusable,
                     {},
                     "gpu"};
    }
    restrict(restrictions, physical);
    vkGetPhysicalDeviceMemoryProperties(physical.handle, &self->memory_);

    const ShaderFeatures& features = physical.features;
    std::vector<const char*> extensions;
    if (physical.portability_subset) {
        extensions.push_back("VK_KHR_portability_subset");  // must be enabled where it is offered
    }
    if (physical.memory_budget) {
        extensions.push_back(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
    }
    VkPhysicalDeviceFeatures2 enabled{};
    enabled.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    void** next = &enabled.pNext;
    const auto enable = [&](auto& one) {
        *next = &one;
        next = &one.pNext;
    };
    const bool has_1_3 = physical.info.vulkan_version >= "1.3";
    VkPhysicalDeviceTimelineSemaphoreFeatures timeline{};
    timeline.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES;
    timeline.timelineSemaphore = VK_TRUE;
    enable(timeline);
    VkPhysicalDeviceShaderFloat16Int8Features half{};
    half.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES;
    VkPhysicalDevice16BitStorageFeatures storage16{};
    storage16.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES;
    VkPhysicalDeviceCooperativeMatrixFeaturesNV matrix{};
    matrix.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_NV;
    VkPhysicalDeviceVulkanMemoryModelFeatures model{};
    model.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES;
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR khr_matrix{};
    khr_matrix.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR;
    const bool khr_cooperative = !features.khr_cooperative_matrix.empty();
    if (features.nv_cooperative_matrix || khr_cooperative) {
        half.shaderFloat16 = VK_TRUE;
        enable(half);
        storage16.storageBuffer16BitAccess = VK_TRUE;
        enable(storage16);
        // Shaders with cooperative matrices declare the memory model. Barriers of the other shaders
        // then need its device scope.
        model.vulkanMemoryModel = model.vulkanMemoryModelDeviceScope = VK_TRUE;
        enable(model);
    }
    if (features.nv_cooperative_matrix) {
        matrix.cooperativeMatrix = VK_TRUE;
        enable(matrix);
        extensions.push_back(VK_NV_COOPERATIVE_MATRIX_EXTENSION_NAME);
    }
    if (khr_cooperative) {
        khr_matrix.cooperativeMatrix = VK_TRUE;
        enable(khr_matrix);
        extensions.push_back(VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME);
    }
    VkPhysicalDeviceShaderIntegerDotProductFeatures dot{};
    dot.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES;
    if (features.integer_dot) {
        dot.shaderIntegerDotProduct = VK_TRUE;
        enable(dot);
        if (!has_1_3) {
            extensions.push_back(VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME);
        }
    }
    VkPhysicalDeviceSubgroupSizeControlFeatures sizes{};
    sizes.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES;
    if (features.subgroup_size_control) {
        sizes.subgroupSizeControl = sizes.computeFullSubgroups = VK_TRUE;
        enable(sizes);
        if (!has_1_3) {
            extensions.push_back(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME);
        }
    }

    const float priority = 1.0F;
    std::array<VkDeviceQueueCreateInfo, 2> queues{};
    for (VkDeviceQueueCreateInfo& queue : queues) {
        queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
        queue.queueCount = 1;
        queue.pQueuePriorities = &priority;
    }
    queues[0].queueFamilyIndex = physical.queue_family;
    queues[1].queueFamilyIndex = physical.copy_family;
    VkDeviceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    info.pNext = &enabled;
    info.queueCreateInfoCount = physical.copy_family == physical.queue_family ? 1 : 2;
    info.pQueueCreateInfos = queues.data();
    info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();
    HEARTH_VK(vkCreateDevice(physical.handle, &info, nullptr, &self->device_), "open the device");
    vkGetDeviceQueue(self->device_, physical.queue_family, 0, &self->queue_);
    vkGetDeviceQueue(self->device_, physical.copy_family, 0, &self->copy_queue_);
    return self;
}

Device::Device() : pipelines_(std::make_unique<Pipelines>(*this)) {}

Device::~Device() {
    if (device_ != VK_NULL_HANDLE) {
        vkDeviceWaitIdle(device_);  // fails on a lost device, which is destroyed all the same
        pipelines_.reset();
        vkDestroyDevice(device_, nullptr);
    }
}

int Device::memory_type(MemoryKind kind, std::uint32_t type_bits) const {
    constexpr VkMemoryPropertyFlags kLocal = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    constexpr VkMemoryPropertyFlags kMapped = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
    constexpr VkMemoryPropertyFlags kCoherent = VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    constexpr VkMemoryPropertyFlags kCached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    int best = -1;
    int best_points = -1;
    for (std::uint32_t i = 0; i < memory_.memoryTypeCount; ++i) {
        const VkMemoryPropertyFlags flags = memory_.memoryTypes[i].propertyFlags;
        const auto has = [&](VkMemoryPropertyFlags wanted) { return (flags & wanted) == wanted; };
        if ((type_bits & (1U << i)) == 0 || has(VK_MEMORY_PROPERTY_PROTECTED_BIT)) {
            continue;
        }
        int points = 0;
        if (kind == MemoryKind::Device) {
            if (!has(kLocal)) {
                continue;
            }
            // The mapped window of a discrete card is small. Where memory is shared, all types are
            // alike.
            points = has(kMapped) == physical_.info.shares_ram ? 1 : 0;
        } else {
            if (!has(kMapped | kCoherent)) {
                continue;
            }
            points = (has(kLocal) == physical_.info.shares_ram ? 2 : 0) +
                     (has(kCached) == (kind == MemoryKind::Readback) ? 1 : 0);
            if (kind == MemoryKind::Readback && has(kCached)) {
                points += 2;
            }
        }
        if (points > best_points) {
            best = static_cast<int>(i);
            best_points = points;
        }
    }
    return best;
}

std::uint64_t Device::used_bytes() const {
    if (!physical_.memory_budget) {
        return 0;
    }
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{};
    budget.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT;
    VkPhysicalDeviceMemoryProperties2 memory{};
    memory.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2;
    memory.pNext = &budget;
    vkGetPhysicalDeviceMemoryProperties2(physical_.handle, &memory);
    const int type = memory_type(MemoryKind::Device, ~0U);
    if (type < 0) {
        return 0;
    }
    return budget.heapUsage[memory_.memoryTypes[static_cast<std::size_t>(type)].heapIndex];
}

Result<void> Device::wait_idle() {
    HEARTH_VK(vkDeviceWaitIdle(device_), "finish its work");
    return {};
}

Result<Timeline> Timeline::create(std::shared_ptr<Device> device) {
    VkSemaphoreTypeCreateInfo type{};
    type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    VkSemaphoreCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
    info.pNext = &type;
    Timeline timeline;
    HEARTH_VK(vkCreateSemaphore(device->handle(), &info, nullptr, &timeline.semaphore_),
              "make a semaphore");
    timeline.device_ = std::move(device);
    return timeline;
}

Timeline& Timeline::operator=(Timeline&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(semaphore_, other.semaphore_);
    return *this;
}

Timeline::~Timeline() {
    if (semaphore_ != VK_NULL_HANDLE) {
        vkDestroySemaphore(device_->handle(), semaphore_, nullptr);
    }
}

Result<void> Timeline::signal(std::uint64_t value) {
    VkSemaphoreSignalInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO;
    info.semaphore = semaphore_;
    info.value = value;
    HEARTH_VK(vkSignalSemaphore(device_->handle(), &info), "raise a semaphore");
    return {};
}

Result<void> Timeline::wait(std::uint64_t value, double seconds_max) {
    // A driver that computes on the processor shares it with all that runs there.
    constexpr double kOnTheProcessor = 10;
    auto spin = std::chrono::milliseconds(2);
    if (device_->physical().info.kind == GpuKind::Cpu) {
        seconds_max *= kOnTheProcessor;
        spin = {};
    }
    const Clock::time_point start = Clock::now();
    do {
        std::uint64_t reached = 0;
        HEARTH_VK(vkGetSemaphoreCounterValue(device_->handle(), semaphore_, &reached),
                  "read a semaphore");
        if (reached >= value) {
            return {};
        }
    } while (Clock::now() - start < spin);
    VkSemaphoreWaitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
    info.semaphoreCount = 1;
    info.pSemaphores = &semaphore_;
    info.pValues = &value;
    const VkResult waited =
        vkWaitSemaphores(device_->handle(), &info, static_cast<std::uint64_t>(seconds_max * 1e9));
    if (waited == VK_TIMEOUT) {
        return Error{ErrorCode::DeviceLost,
                     "the GPU " + device_->physical().info.name + " did not answer within " +
                         std::to_string(static_cast<int>(seconds_max)) + " seconds"};
    }
    HEARTH_VK(waited, "wait for its work");
    return {};
}

}  // namespace hearth::vulkan
