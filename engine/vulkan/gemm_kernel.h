// Which of its shaders a device multiplies a batch with, and how that one is dispatched.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "vulkan/physical_device.h"
#include "vulkan/shader_catalog.h"

namespace hearth::vulkan {

bool is_cooperative(GemmForm form);
bool is_transposed(GemmForm form);

// The fastest of what the device has.
GemmForm gemm_form(const ShaderFeatures& features, DType type);
GemmForm transposed_gemm_form(const ShaderFeatures& features);

struct GemmKernel {
    const Shader& shader;
    std::uint32_t tile;      // rows and tokens of a workgroup
    int subgroup_size;       // for Pipelines::get()
    std::uint32_t n_values;  // of `values`
    std::array<std::uint32_t, 6> values;

    std::span<const std::uint32_t> constants() const { return std::span(values).first(n_values); }
};

// Preconditions: gemm_shader()'s, and that the device has what the form asks for.
GemmKernel gemm_kernel(const ShaderFeatures& features, DType type, GemmForm form);

}  // namespace hearth::vulkan
