// How gemm_cooperative.comp is cut up for the matrix units of a device, VK_KHR_cooperative_matrix.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hearth::vulkan {

struct ShaderFeatures;

// What a subgroup multiplies at once: [m, k] times [k, n].
struct CooperativeShape {
    std::uint32_t m = 0;
    std::uint32_t n = 0;
    std::uint32_t k = 0;
    bool operator==(const CooperativeShape&) const = default;
};

struct CooperativeTiles {
    CooperativeShape shape;
    // What a subgroup computes of the 128 rows and 128 tokens of a workgroup.
    std::uint32_t rows = 0;
    std::uint32_t tokens = 0;
    int subgroup_size = 0;  // what pipelines demand, where a device has several sizes
};

// For those of the shapes that the shader can be made of, the largest first: empty where there is
// none, or where the size of a subgroup can be neither known nor demanded. Of `features` everything
// about subgroups and shared memory is read. The shapes may be anything a driver says.
std::vector<CooperativeTiles> cooperative_tiles(std::span<const CooperativeShape> shapes,
                                                const ShaderFeatures& features);

}  // namespace hearth::vulkan
