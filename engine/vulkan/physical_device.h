// The abilities of a device that matter to the shaders.
#pragma once

#include <cstdint>
#include <vector>

#include <volk.h>

#include "hardware/gpu_info.h"
#include "vulkan/cooperative_tiles.h"

namespace hearth::vulkan {

// The features that shaders may use. Tests take features away to reach the paths for lesser
// drivers.
struct ShaderFeatures {
    bool integer_dot = false;  // packed 4 x 8 bits, VK_KHR_shader_integer_dot_product
    bool float16 = false;      // arithmetic and 16-bit storage
    // Products of halves added up in floats, on matrix units.
    bool nv_cooperative_matrix = false;  // VK_NV_cooperative_matrix, 16 x 16 x 16
    // VK_KHR_cooperative_matrix, if its shaders were built. The first entry is used. Empty: the
    // extension is not used.
    std::vector<CooperativeTiles> khr_cooperative_matrix;
    bool subgroup_add = false;           // in compute shaders
    bool subgroup_shuffle = false;       // likewise
    bool subgroup_size_control = false;  // a shader may demand one of the sizes
    int subgroup_size = 0;               // the driver's own
    int subgroup_size_min = 0;
    int subgroup_size_max = 0;
    std::uint64_t storage_range_bytes_max = 0;  // of one binding
    std::uint32_t shared_bytes_max = 0;
    std::uint32_t invocations_max = 0;  // of one workgroup
    // The device is the processor: a workgroup more costs what it does, and a barrier a change of
    // threads.
    bool on_processor = false;

    // They multiply batches of all types.
    bool matrix_units() const { return nv_cooperative_matrix || !khr_cooperative_matrix.empty(); }
};

struct PhysicalDevice {
    VkPhysicalDevice handle = VK_NULL_HANDLE;
    GpuInfo info;
    ShaderFeatures features;
    std::uint32_t queue_family = 0;  // for compute; meaningless where info.unusable
    // A family that only copies, beside the one that computes. Equal to queue_family: there is
    // none.
    std::uint32_t copy_family = 0;
    bool memory_budget = false;  // VK_EXT_memory_budget
    bool external_memory_host = false;
    bool portability_subset = false;
    std::uint64_t offset_alignment = 256;  // of storage buffers
    std::uint64_t allocation_bytes_max = 0;
    std::uint64_t buffer_bytes_max = 0;
    double timestamp_ns = 0;  // per tick; 0: the queue has no timestamps
};

PhysicalDevice describe(VkPhysicalDevice device, int index);

}  // namespace hearth::vulkan
