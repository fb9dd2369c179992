#include "vulkan/physical_device.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "vulkan/khr_cooperative_matrix.h"
#include "vulkan/shader_catalog.h"

namespace hearth::vulkan {
namespace {

std::string version_text(std::uint32_t version) {
    return std::to_string(VK_API_VERSION_MAJOR(version)) + "." +
           std::to_string(VK_API_VERSION_MINOR(version)) + "." +
           std::to_string(VK_API_VERSION_PATCH(version));
}

GpuKind kind_of(VkPhysicalDeviceType type) {
    switch (type) {
        case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
            return GpuKind::Discrete;
        case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
            return GpuKind::Integrated;
        case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
            return GpuKind::Virtual;
        case VK_PHYSICAL_DEVICE_TYPE_CPU:
            return GpuKind::Cpu;
        default:
            return GpuKind::Other;
    }
}

class Extensions {
public:
    explicit Extensions(VkPhysicalDevice device) {
        std::uint32_t count = 0;
        if (vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr) != VK_SUCCESS) {
            return;
        }
        names_.resize(count);
        if (vkEnumerateDeviceExtensionProperties(device, nullptr, &count, names_.data()) < 0) {
            count = 0;
        }
        names_.resize(count);
    }
    bool has(const char* name) const {
        return std::any_of(names_.begin(), names_.end(), [&](const VkExtensionProperties& one) {
            return std::strcmp(one.extensionName, name) == 0;
        });
    }

private:
    std::vector<VkExtensionProperties> names_;
};

// Prefers a family that computes and does not draw, so that the desktop's frames do not wait.
bool find_queue_family(VkPhysicalDevice device, PhysicalDevice& out) {
    std::uint32_t count = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
    int best = -1;
    for (std::uint32_t i = 0; i < count; ++i) {
        const VkQueueFlags flags = families[i].queueFlags;
        if ((flags & VK_QUEUE_COMPUTE_BIT) == 0 || families[i].queueCount == 0) {
            continue;
        }
        if (best < 0 || (flags & VK_QUEUE_GRAPHICS_BIT) == 0) {
            best = static_cast<int>(i);
            if ((flags & VK_QUEUE_GRAPHICS_BIT) == 0) {
                break;
            }
        }
    }
    if (best < 0) {
        return false;
    }
    out.queue_family = out.copy_family = static_cast<std::uint32_t>(best);
    constexpr VkQueueFlags kMore = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
    for (std::uint32_t i = 0; i < count; ++i) {
        if ((families[i].queueFlags & (VK_QUEUE_TRANSFER_BIT | kMore)) == VK_QUEUE_TRANSFER_BIT &&
            families[i].queueCount > 0) {
            out.copy_family = i;
            break;
        }
    }
    if (families[out.queue_family].timestampValidBits < 36) {  // would wrap within a minute
        out.timestamp_ns = 0;
    }
    return true;
}

bool multiplies_16_cubed(VkPhysicalDevice device) {
    if (vkGetPhysicalDeviceCooperativeMatrixPropertiesNV == nullptr) {
        return false;
    }
    std::uint32_t count = 0;
    if (vkGetPhysicalDeviceCooperativeMatrixPropertiesNV(device, &count, nullptr) != VK_SUCCESS) {
        return false;
    }
    std::vector<VkCooperativeMatrixPropertiesNV> shapes(count);
    for (VkCooperativeMatrixPropertiesNV& shape : shapes) {
        shape = {};
        shape.sType = VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_NV;
    }
    if (vkGetPhysicalDeviceCooperativeMatrixPropertiesNV(device, &count, shapes.data()) < 0) {
        return false;
    }
    return std::any_of(shapes.begin(), shapes.end(), [](const auto& shape) {
        return shape.MSize == 16 && shape.NSize == 16 && shape.KSize == 16 &&
               shape.AType == VK_COMPONENT_TYPE_FLOAT16_NV &&
               shape.BType == VK_COMPONENT_TYPE_FLOAT16_NV &&
               shape.CType == VK_COMPONENT_TYPE_FLOAT32_NV &&
               shape.DType == VK_COMPONENT_TYPE_FLOAT32_NV && shape.scope == VK_SCOPE_SUBGROUP_NV;
    });
}

// The shapes whose products of halves are added up in floats.
std::vector<CooperativeShape> khr_cooperative_shapes(VkPhysicalDevice device) {
    VkPhysicalDeviceCooperativeMatrixPropertiesKHR stages{};
    stages.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_PROPERTIES_KHR;
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext = &stages;
    vkGetPhysicalDeviceProperties2(device, &properties);
    if ((stages.cooperativeMatrixSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) == 0) {
        return {};
    }
    // volk may be older than the extension.
    constexpr const char* kName = "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR";
    const auto list = reinterpret_cast<PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR>(
        vkGetInstanceProcAddr(volkGetLoadedInstance(), kName));
    std::uint32_t count = 0;
    if (list == nullptr || list(device, &count, nullptr) != VK_SUCCESS) {
        return {};
    }
    VkCooperativeMatrixPropertiesKHR empty{};
    empty.sType = VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR;
    std::vector<VkCooperativeMatrixPropertiesKHR> all(count, empty);
    if (list(device, &count, all.data()) < 0) {
        return {};
    }
    all.resize(std::min<std::size_t>(count, all.size()));
    std::vector<CooperativeShape> shapes;
    for (const VkCooperativeMatrixPropertiesKHR& one : all) {
        if (one.AType == VK_COMPONENT_TYPE_FLOAT16_KHR &&
            one.BType == VK_COMPONENT_TYPE_FLOAT16_KHR &&
            one.CType == VK_COMPONENT_TYPE_FLOAT32_KHR &&
            one.ResultType == VK_COMPONENT_TYPE_FLOAT32_KHR &&
            one.saturatingAccumulation == VK_FALSE && one.scope == VK_SCOPE_SUBGROUP_KHR) {
            shapes.push_back({one.MSize, one.NSize, one.KSize});
        }
    }
    return shapes;
}

void read_heaps(VkPhysicalDevice device, bool has_budget, GpuInfo& info) {
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{};
    budget.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT;
    VkPhysicalDeviceMemoryProperties2 memory{};
    memory.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2;
    memory.pNext = has_budget ? &budget : nullptr;
    vkGetPhysicalDeviceMemoryProperties2(device, &memory);
    const VkPhysicalDeviceMemoryProperties& properties = memory.memoryProperties;
    for (std::uint32_t i = 0; i < properties.memoryHeapCount; ++i) {
        GpuHeap heap;
        heap.bytes = properties.memoryHeaps[i].size;
        heap.available_bytes = heap.bytes;
        if (has_budget) {
            heap.available_bytes =
                budget.heapBudget[i] - std::min(budget.heapBudget[i], budget.heapUsage[i]);
        }
        heap.device_local =
            (properties.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0;
        info.heaps.push_back(heap);
    }
}

}  // namespace

PhysicalDevice describe(VkPhysicalDevice device, int index) {
    PhysicalDevice out;
    out.handle = device;
    const Extensions extensions(device);

    VkPhysicalDeviceSubgroupSizeControlProperties sizes{};
    sizes.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES;
    VkPhysicalDeviceSubgroupProperties subgroup{};
    subgroup.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES;
    VkPhysicalDeviceMaintenance3Properties maintenance3{};
    maintenance3.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES;
    maintenance3.pNext = &subgroup;
    VkPhysicalDeviceDriverProperties driver{};
    driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
    driver.pNext = &maintenance3;
    VkPhysicalDeviceIDProperties id{};
    id.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
    id.pNext = &driver;
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext = &id;

    VkPhysicalDeviceProperties basic{};
    vkGetPhysicalDeviceProperties(device, &basic);
    const bool has_1_2 = basic.apiVersion >= VK_API_VERSION_1_2;
    const bool has_1_3 = basic.apiVersion >= VK_API_VERSION_1_3;
    const bool size_control =
        has_1_3 || extensions.has(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME);
    if (!has_1_2) {
        id.pNext = &maintenance3;
    }
    if (size_control) {
        subgroup.pNext = &sizes;
    }
    vkGetPhysicalDeviceProperties2(device, &properties);
    const VkPhysicalDeviceLimits& limits = properties.properties.limits;

    VkPhysicalDeviceSubgroupSizeControlFeatures size_features{};
    size_features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES;
    VkPhysicalDeviceShaderIntegerDotProductFeatures dot{};
    dot.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES;
    VkPhysicalDeviceCooperativeMatrixFeaturesNV matrix{};
    matrix.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_NV;
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR khr_matrix{};
    khr_matrix.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR;
    VkPhysicalDeviceVulkanMemoryModelFeatures model{};
    model.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES;
    VkPhysicalDeviceShaderFloat16Int8Features half{};
    half.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES;
    VkPhysicalDevice16BitStorageFeatures storage16{};
    storage16.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES;
    VkPhysicalDeviceTimelineSemaphoreFeatures timeline{};
    timeline.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES;
    VkPhysicalDeviceFeatures2 features{};
    features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    void** next = &features.pNext;
    const auto ask = [&](auto& one) {
        *next = &one;
        next = &one.pNext;
    };
    ask(storage16);
    if (has_1_2) {
        ask(half);
        ask(timeline);
        ask(model);
    }
    if (size_control) {
        ask(size_features);
    }
    if (has_1_3 || extensions.has(VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME)) {
        ask(dot);
    }
    if (extensions.has(VK_NV_COOPERATIVE_MATRIX_EXTENSION_NAME)) {
        ask(matrix);
    }
    if (extensions.has(VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME)) {
        ask(khr_matrix);
    }
    vkGetPhysicalDeviceFeatures2(device, &features);

    ShaderFeatures& shader = out.features;
    shader.integer_dot = dot.shaderIntegerDotProduct == VK_TRUE;
    shader.float16 = half.shaderFloat16 == VK_TRUE && storage16.storageBuffer16BitAccess == VK_TRUE;
    // Cooperative matrices need the memory model. Under it, barriers of the other shaders need
    // device scope.
    const bool holds_halves = shader.float16 && model.vulkanMemoryModel == VK_TRUE &&
                              model.vulkanMemoryModelDeviceScope == VK_TRUE;
    shader.nv_cooperative_matrix =
        holds_halves && matrix.cooperativeMatrix == VK_TRUE && multiplies_16_cubed(device);
    const bool has_subgroups = (subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
    const auto has_operation = [&](VkSubgroupFeatureFlagBits operation) {
        return has_subgroups && (subgroup.supportedOperations & operation) != 0;
    };
    shader.subgroup_add = has_operation(VK_SUBGROUP_FEATURE_ARITHMETIC_BIT);
    shader.subgroup_shuffle = has_operation(VK_SUBGROUP_FEATURE_SHUFFLE_BIT);
    shader.subgroup_size = static_cast<int>(subgroup.subgroupSize);
    shader.subgroup_size_min = shader.subgroup_size_max = shader.subgroup_size;
    if (size_control && size_features.subgroupSizeControl == VK_TRUE) {
        shader.subgroup_size_min = static_cast<int>(sizes.minSubgroupSize);
        shader.subgroup_size_max = static_cast<int>(sizes.maxSubgroupSize);
        shader.subgroup_size_control =
            size_features.computeFullSubgroups == VK_TRUE &&
            (sizes.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
    }
    shader.storage_range_bytes_max = limits.maxStorageBufferRange;
    shader.shared_bytes_max = limits.maxComputeSharedMemorySize;
    shader.invocations_max = limits.maxComputeWorkGroupInvocations;
    if (holds_halves && khr_matrix.cooperativeMatrix == VK_TRUE && has_khr_cooperative_shaders()) {
        shader.khr_cooperative_matrix = cooperative_tiles(khr_cooperative_shapes(device), shader);
    }

    out.memory_budget = extensions.has(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
    out.external_memory_host = extensions.has(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
    out.portability_subset = extensions.has("VK_KHR_portability_subset");
    out.offset_alignment = std::max<std::uint64_t>(limits.minStorageBufferOffsetAlignment, 16);
    out.allocation_bytes_max = maintenance3.maxMemoryAllocationSize;
    out.buffer_bytes_max = out.allocation_bytes_max;
    out.timestamp_ns = static_cast<double>(limits.timestampPeriod);

    GpuInfo& info = out.info;
    info.index = index;
    info.name = properties.properties.deviceName;
    info.kind = kind_of(properties.properties.deviceType);
    info.driver = has_1_2 ? std::string(driver.driverName) + " " + driver.driverInfo
                          : std::to_string(properties.properties.driverVersion);
    info.vulkan_version = version_text(properties.properties.apiVersion);
    info.vendor_id = properties.properties.vendorID;
    info.device_id = properties.properties.deviceID;
    for (std::size_t i = 0; i < info.uuid.size(); ++i) {
        info.uuid[i] = static_cast<std::uint8_t>(id.deviceUUID[i] ^ (id.driverUUID[i] * 31U));
    }
    info.shares_ram = info.kind == GpuKind::Integrated || info.kind == GpuKind::Cpu;
    info.integer_dot = shader.integer_dot;
    info.cooperative_matrix = shader.matrix_units();
    if (shader.subgroup_add) {
        info.subgroup_size = shader.subgroup_size;
        info.subgroup_size_min = shader.subgroup_size_min;
        info.subgroup_size_max = shader.subgroup_size_max;
    }
    info.storage_range_bytes_max = shader.storage_range_bytes_max;
    read_heaps(device, out.memory_budget, info);

    if (!has_1_2) {
        info.unusable = "its driver speaks Vulkan " + info.vulkan_version + ", 1.2 is needed";
    } else if (timeline.timelineSemaphore != VK_TRUE) {
        info.unusable = "its driver has no timeline semaphores";
    } else if (!find_queue_family(device, out)) {
        info.unusable = "its driver has no queue that computes";
    } else if (shader.invocations_max < 256 || shader.shared_bytes_max < 16384) {
        info.unusable = "its workgroups are too small";
    } else if (info.memory_bytes() == 0) {
        info.unusable = "it has no memory of its own";
    }
    if (info.kind == GpuKind::Cpu) {
        // A processor runs the threads of a workgroup one after another and changes between them at
        // every barrier: on lavapipe a norm of 1,024 threads takes 4 ms, one of 128 takes 0.2 ms. A
        // workgroup that returns at once takes 0.1 ms.
        shader.invocations_max = std::min<std::uint32_t>(shader.invocations_max, 128);
        shader.on_processor = true;
    }
    return out;
}

}  // namespace hearth::vulkan
