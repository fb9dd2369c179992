// The list of shaders: shaders/kernels/, compiled into the program.
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
    FloatsTransposed,
    CooperativeNv,  // halves, on matrix units
    CooperativeNvTransposed,
    CooperativeKhr,
    CooperativeKhrTransposed,
};

// Whether the shader compiler of this build knew VK_KHR_cooperative_matrix.
bool has_khr_cooperative_shaders();

// Preconditions: has_matrix_form(type); Bytes: is_quantized(type); transposed: has_row_form(type);
// CooperativeKhr: has_khr_cooperative_shaders().
const Shader& gemv_shader(DType type, InputForm form);
const Shader& neurons_shader(DType type, InputForm form);
const Shader& gemm_shader(DType type, GemmForm form);
// Precondition: has_row_form(type).
const Shader& down_rows_shader(DType type);

const Shader& norm_shader();
const Shader& reduce_shader();
const Shader& quantize_shader();
const Shader& activate_shader();
const Shader& attention_decode_shader();
const Shader& attention_decode_teams_shader();
const Shader& attention_batch_shader();
const Shader& rope_store_shader();
const Shader& candidates_shader();

}  // namespace hearth::vulkan
