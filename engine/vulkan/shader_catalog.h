// The list of shaders: shaders/CMakeLists.txt, compiled into the program.
#pragma once

#include "gguf/dtype.h"
#include "vulkan/pipelines.h"

namespace hearth::vulkan {

namespace interfaces {  // shaders/interfaces/
struct AttentionCooperative;
struct AttentionDecode;
struct DownRows;
struct ExpertDown;
struct Gemm;
struct Gemv;
struct JoinedGemv;
struct JoinedNeurons;
struct JoinedRoute;
struct Neurons;
struct Route;
struct SeveralNeurons;
}  // namespace interfaces

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

// The shader of an interface that one shader alone has.
template <class Interface>
ShaderOf<Interface> shader_of();

// Preconditions: has_matrix_layout(type); Bytes: is_quantized(type); CooperativeKhr:
// has_khr_cooperative_shaders().
ShaderOf<interfaces::Gemv> gemv_shader(DType type, InputForm form);
ShaderOf<interfaces::Neurons> neurons_shader(DType type, InputForm form);
ShaderOf<interfaces::SeveralNeurons> several_neurons_shader(DType type, InputForm form);
// Of a type that is_quantized(): their input is made of the stream (joined_norm.glsl).
ShaderOf<interfaces::JoinedGemv> joined_gemv_shader(DType type);
ShaderOf<interfaces::JoinedNeurons> joined_neurons_shader(DType type);
ShaderOf<interfaces::Gemm> gemm_shader(DType type, GemmForm form);
// Makes the router's products first. Precondition: !is_quantized(type).
ShaderOf<interfaces::Route> router_shader(DType type);
ShaderOf<interfaces::JoinedRoute> joined_router_shader(DType type);
ShaderOf<interfaces::DownRows> down_rows_shader(DType type);
ShaderOf<interfaces::ExpertDown> expert_down_shader(DType type, InputForm form);

// Of NVIDIA's extension, or of Khronos'. Without words: this build does not have it.
ShaderOf<interfaces::AttentionCooperative> attention_cooperative_shader(bool khr);

// Forms of a token's attention, which decode_heads() picks from.
enum class DecodeForm {
    Alone,  // a thread scores positions of its own; any device
    Teams,  // a subgroup a position
    Rows,   // a subgroup several positions, whose rows it loads 16 bytes a lane
    Bytes,  // the past is held in bytes
};
ShaderOf<interfaces::AttentionDecode> attention_decode_shader(DecodeForm form);

}  // namespace hearth::vulkan
