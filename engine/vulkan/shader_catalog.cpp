#include "vulkan/shader_catalog.h"

#include <cstddef>
#include <cstdint>

#include "base/assert.h"
#include "gguf/encoding.h"
#include "include/params.h"

namespace hearth::vulkan {

// Modules, arrays of Shader by CodeKind, and the shaders that have one module.
#include "hearth_shaders/catalog.inc"

namespace {

// A module's way to read weights of the type.
Shader reading(std::span<const Shader> by_kind, DType type) {
    const Encoding& encoding = encoding_of(type);
    Shader shader = by_kind[static_cast<std::size_t>(encoding.codes)];
    HEARTH_ASSERT(!shader.words.empty());
    shader.weights = {static_cast<std::uint32_t>(encoding.scales),
                      static_cast<std::uint32_t>(encoding.zero), encoding.block_values};
    return shader;
}

}  // namespace

bool has_khr_cooperative_shaders() {
    return !gemm_khr[0].words.empty();
}

Shader gemv_shader(DType type, InputForm form) {
    return reading(form == InputForm::Bytes ? gemv_bytes : gemv, type);
}

Shader neurons_shader(DType type, InputForm form) {
    return reading(form == InputForm::Bytes ? neurons_bytes : neurons, type);
}

Shader gemm_shader(DType type, GemmForm form) {
    switch (form) {
        case GemmForm::Bytes:
            return reading(gemm_bytes, type);
        case GemmForm::CooperativeNv:
            return reading(gemm_nv, type);
        case GemmForm::CooperativeKhr:
            return reading(gemm_khr, type);
        case GemmForm::Floats:
            break;
    }
    return reading(gemm, type);
}

Shader down_rows_shader(DType type) {
    return reading(down_rows, type);
}

}  // namespace hearth::vulkan
