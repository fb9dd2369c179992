#include "vulkan/shader_catalog.h"

#include <cstddef>
#include <cstdint>

#include "base/assert.h"
#include "gguf/encoding.h"
#include "interfaces/weights.h"

namespace hearth::vulkan {
namespace {

template <class Interface>
constexpr Shader shader_module(const char* name, std::span<const std::uint32_t> words) {
    return {name,
            words,
            sizeof(typename Interface::Buffers) / sizeof(BoundBuffer),
            sizeof(typename Interface::Params),
            {}};
}

}  // namespace

// The shader that shader_of() returns, for the catalog to say.
template <class Interface>
constexpr const Shader* kOnly = nullptr;

template <class Interface>
ShaderOf<Interface> shader_of() {
    return {*kOnly<Interface>};
}

}  // namespace hearth::vulkan

// Arrays of Shader by CodeKind, and of one Shader each.
#include "hearth_shaders/catalog.inc"

namespace hearth::vulkan {
namespace {

// A module's way to read weights of the type.
template <class Interface>
ShaderOf<Interface> reading(std::span<const Shader> modules, DType type) {
    const Encoding& encoding = encoding_of(type);
    ShaderOf<Interface> shader{modules[static_cast<std::size_t>(encoding.codes)]};
    HEARTH_ASSERT(!shader.words.empty());
    shader.weights = constant_values(
        interfaces::Weights::Constants{.SCALES = static_cast<std::uint32_t>(encoding.scales),
                                       .ZERO = encoding.zero,
                                       .FILE_BLOCK = dtype_info(type).block_values,
                                       .PACKING = static_cast<std::uint32_t>(encoding.packing)});
    return shader;
}

}  // namespace

bool has_khr_cooperative_shaders() {
    return !modules::gemm_khr[0].words.empty();
}

ShaderOf<interfaces::Gemv> gemv_shader(DType type, InputForm form) {
    return reading<interfaces::Gemv>(form == InputForm::Bytes ? modules::gemv_bytes : modules::gemv,
                                     type);
}

ShaderOf<interfaces::Neurons> neurons_shader(DType type, InputForm form) {
    return reading<interfaces::Neurons>(
        form == InputForm::Bytes ? modules::neurons_bytes : modules::neurons, type);
}

ShaderOf<interfaces::SeveralNeurons> several_neurons_shader(DType type, InputForm form) {
    return reading<interfaces::SeveralNeurons>(
        form == InputForm::Bytes ? modules::several_neurons_bytes : modules::several_neurons, type);
}

ShaderOf<interfaces::JoinedGemv> joined_gemv_shader(DType type) {
    return reading<interfaces::JoinedGemv>(modules::gemv_joined, type);
}

ShaderOf<interfaces::JoinedNeurons> joined_neurons_shader(DType type) {
    return reading<interfaces::JoinedNeurons>(modules::neurons_joined, type);
}

ShaderOf<interfaces::Gemm> gemm_shader(DType type, GemmForm form) {
    using interfaces::Gemm;
    switch (form) {
        case GemmForm::Bytes:
            return reading<Gemm>(modules::gemm_bytes, type);
        case GemmForm::CooperativeNv:
            return reading<Gemm>(modules::gemm_nv, type);
        case GemmForm::CooperativeKhr:
            return reading<Gemm>(modules::gemm_khr, type);
        case GemmForm::Floats:
            break;
    }
    return reading<Gemm>(modules::gemm, type);
}

ShaderOf<interfaces::Route> router_shader(DType type) {
    return reading<interfaces::Route>(modules::router, type);
}

ShaderOf<interfaces::JoinedRoute> joined_router_shader(DType type) {
    return reading<interfaces::JoinedRoute>(modules::router_joined, type);
}

ShaderOf<interfaces::DownRows> down_rows_shader(DType type) {
    return reading<interfaces::DownRows>(modules::down_rows, type);
}

ShaderOf<interfaces::ExpertDown> expert_down_shader(DType type, InputForm form) {
    return reading<interfaces::ExpertDown>(
        form == InputForm::Bytes ? modules::expert_down_bytes : modules::expert_down, type);
}

ShaderOf<interfaces::AttentionCooperative> attention_cooperative_shader(bool khr) {
    return {khr ? modules::attention_khr[0] : modules::attention_nv[0]};
}

ShaderOf<interfaces::AttentionDecode> attention_decode_shader(DecodeForm form) {
    switch (form) {
        case DecodeForm::Alone:
            return {modules::attention_decode[0]};
        case DecodeForm::Teams:
            return {modules::attention_decode_teams[0]};
        case DecodeForm::Rows:
            return {modules::attention_decode_rows[0]};
        case DecodeForm::Bytes:
            return {modules::attention_decode_bytes[0]};
    }
    HEARTH_ASSERT(false);
    return {};
}

}  // namespace hearth::vulkan
