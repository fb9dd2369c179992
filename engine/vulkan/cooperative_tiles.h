// How gemm_cooperative.comp is cut to the matrix units of a device (VK_KHR_cooperative_matrix).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hearth::vulkan {

struct ShaderFeatures;

// The product that a subgroup computes at once: [m, k] times [k, n].
struct CooperativeShape {
    std::uint32_t m = 0;
    std::uint32_t n = 0;
    std::uint32_t k = 0;
    bool operator==(const CooperativeShape&) const = default;
};

struct CooperativeTiles {
    CooperativeShape shape;
    // The part that one subgroup computes of the 128 rows and 128 tokens of its workgroup.
    std::uint32_t rows = 0;
    std::uint32_t tokens = 0;
    int subgroup_size = 0;  // the size that pipelines demand, where a device has several

    // A workgroup has threads that multiply, and 128 that fill panels.
    std::uint32_t threads() const;
};

// NVIDIA's own extension has no others: interfaces/gemm.h.
inline constexpr CooperativeTiles kNvTiles{{16, 16, 16}, 64, 64, 32};

// Returns tiles for those shapes that the shader can be built from, the largest first. Empty: there
// is no such shape, or the size of a subgroup can be neither known nor demanded. Reads everything
// about subgroups and shared memory in `features`. The shapes may be anything that a driver says.
std::vector<CooperativeTiles> cooperative_tiles(std::span<const CooperativeShape> shapes,
                                                const ShaderFeatures& features);

// PANELS of the shader: what the shared memory of a workgroup has room for.
std::uint32_t cooperative_panels(const ShaderFeatures& features, const CooperativeTiles& tiles);

}  // namespace hearth::vulkan
