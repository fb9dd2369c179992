#include "vulkan/shader_catalog.h"

#include <cstddef>
#include <cstdint>

#include "base/assert.h"
#include "gguf/encoding.h"
#include "include/params.h"

// Arrays of Shader by CodeKind, and of one Shader each.
#include "hearth_shaders/catalog.inc"

namespace hearth::vulkan {
namespace {

// A module's way to read weights of the type.
Shader reading(std::span<const Shader> modules, DType type) {
    const Encoding& encoding = encoding_of(type);
    Shader shader = modules[static_cast<std::size_t>(encoding.codes)];
    HEARTH_ASSERT(!shader.words.empty());
    shader.weights = {static_cast<std::uint32_t>(encoding.scales),
                      static_cast<std::uint32_t>(encoding.zero), dtype_info(type).block_values};
    return shader;
}

}  // namespace

bool has_khr_cooperative_shaders() {
    return !modules::gemm_khr[0].words.empty();
}

Shader gemv_shader(DType type, InputForm form) {
    return reading(form == InputForm::Bytes ? modules::gemv_bytes : modules::gemv, type);
}

Shader neurons_shader(DType type, InputForm form) {
    return reading(form == InputForm::Bytes ? modules::neurons_bytes : modules::neurons, type);
}

Shader gemm_shader(DType type, GemmForm form) {
    switch (form) {
        case GemmForm::Bytes:
            return reading(modules::gemm_bytes, type);
        case GemmForm::CooperativeNv:
            return reading(modules::gemm_nv, type);
        case GemmForm::CooperativeKhr:
            return reading(modules::gemm_khr, type);
        case GemmForm::Floats:
            break;
    }
    return reading(modules::gemm, type);
}

Shader down_rows_shader(DType type) {
    return reading(modules::down_rows, type);
}

// clang-format off
Shader norm_shader() { return modules::norm[0]; }
Shader reduce_shader() { return modules::reduce[0]; }
Shader quantize_shader() { return modules::quantize[0]; }
Shader activate_shader() { return modules::activate[0]; }
Shader attention_decode_shader() { return modules::attention_decode[0]; }
Shader attention_decode_teams_shader() { return modules::attention_decode_teams[0]; }
Shader attention_batch_shader() { return modules::attention_batch[0]; }
Shader rope_store_shader() { return modules::rope_store[0]; }
Shader head_norm_shader() { return modules::head_norm[0]; }
Shader candidates_shader() { return modules::candidates[0]; }
// clang-format on

}  // namespace hearth::vulkan
