// The list of shaders: shaders/CMakeLists.txt, compiled into the program.
#pragma once

#include "gguf/dtype.h"
#include "vulkan/pipelines.h"

namespace hearth::vulkan {

// The form of the input that a matrix is multiplied with.
enum class InputForm {
    Floats,
    Bytes,  // signed bytes with a scale per 32 values: quantised weights on devices with packed
            // dots
};

enum class GemmForm {
    Floats,
    Bytes,
    CooperativeNv,  // halves, on matrix units
    CooperativeKhr,
};

// Whether the shader compiler of this build knew VK_KHR_cooperative_matrix.
bool has_khr_cooperative_shaders();

// Preconditions: has_matrix_layout(type); Bytes: is_quantized(type); CooperativeKhr:
// has_khr_cooperative_shaders().
Shader gemv_shader(DType type, InputForm form);
Shader neurons_shader(DType type, InputForm form);
Shader gemm_shader(DType type, GemmForm form);
Shader down_rows_shader(DType type);

Shader norm_shader();
Shader reduce_shader();
Shader quantize_shader();
Shader activate_shader();
Shader attention_decode_shader();
Shader attention_decode_teams_shader();
Shader attention_batch_shader();
Shader rope_store_shader();
Shader head_norm_shader();
Shader candidates_shader();

}  // namespace hearth::vulkan
