// How attention_cooperative.comp is cut to the matrix units of a device.
#pragma once

#include <cstdint>
#include <optional>

#include "interfaces/attention_cooperative.h"
#include "vulkan/cooperative_tiles.h"
#include "vulkan/physical_device.h"
#include "vulkan/shader_catalog.h"

namespace hearth::vulkan {

struct AttentionKernel {
    ShaderOf<interfaces::AttentionCooperative> shader;
    std::uint32_t workgroup = 0;
    CooperativeShape shape;
    std::uint32_t queries = 0, positions = 0, split = 0;  // QUERIES, TILE and SPLIT
    int subgroup_size = 0;                                // for Pipelines::get()
};

// None: the device has no matrix units whose shape divides such heads, or lacks something else that
// the shader needs. The batch is then attention_batch.comp's. Heads of more than 256 values are.
std::optional<AttentionKernel> attention_kernel(const ShaderFeatures& features, int head_dim);

}  // namespace hearth::vulkan
