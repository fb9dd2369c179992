// Chooses the shader that multiplies a batch on a device, and says how it is dispatched.
#pragma once

#include <cstdint>

#include "interfaces/gemm.h"
#include "vulkan/physical_device.h"
#include "vulkan/shader_catalog.h"

namespace hearth::vulkan {

bool is_cooperative(GemmForm form);

// The fastest form that the device has. transposed: the rows of the matrix are added (gemm.comp).
GemmForm gemm_form(const ShaderFeatures& features, DType type, bool transposed);

struct GemmKernel {
    ShaderOf<interfaces::Gemm> shader;
    interfaces::Gemm::Constants constants;  // of an input in floats, or in bytes
    std::uint32_t tile;                     // rows and tokens of a workgroup
    int subgroup_size;                      // for Pipelines::get()
};

// Preconditions: those of gemm_shader(), and the device has the features that the form needs.
// transposed: the form is not Bytes.
GemmKernel gemm_kernel(const ShaderFeatures& features, DType type, GemmForm form, bool transposed);

}  // namespace hearth::vulkan
