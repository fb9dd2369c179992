// Chooses the shader that multiplies a batch on a device, and says how it is dispatched.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "vulkan/physical_device.h"
#include "vulkan/shader_catalog.h"

namespace hearth::vulkan {

bool is_cooperative(GemmForm form);
bool is_transposed(GemmForm form);

// The fastest form that the device has.
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

// Preconditions: those of gemm_shader(), and the device has the features that the form needs.
GemmKernel gemm_kernel(const ShaderFeatures& features, DType type, GemmForm form);

}  // namespace hearth::vulkan
