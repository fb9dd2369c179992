#include "vulkan/gemm_kernel.h"

#include "base/assert.h"
#include "vulkan/matrix.h"

namespace hearth::vulkan {

bool is_cooperative(GemmForm form) {
    return form == GemmForm::CooperativeNv || form == GemmForm::CooperativeKhr;
}

GemmForm gemm_form(const ShaderFeatures& features, DType type, bool transposed) {
    if (!features.khr_cooperative_matrix.empty()) {
        return GemmForm::CooperativeKhr;
    }
    if (features.nv_cooperative_matrix) {
        return GemmForm::CooperativeNv;
    }
    return is_quantized(type) && features.integer_dot && !transposed ? GemmForm::Bytes
                                                                     : GemmForm::Floats;
}

GemmKernel gemm_kernel(const ShaderFeatures& features, DType type, GemmForm form, bool transposed) {
    HEARTH_ASSERT(!transposed || form != GemmForm::Bytes);
    const Shader shader = gemm_shader(type, form);
    const std::uint32_t turned = transposed ? 1 : 0;
    if (!is_cooperative(form)) {
        return {shader, 64, 0, {128, turned}};
    }
    CooperativeTiles tiles{{16, 16, 16}, 64, 32, 32};  // of NVIDIA's extension: cooperative.glsl
    if (form == GemmForm::CooperativeKhr) {
        HEARTH_ASSERT(!features.khr_cooperative_matrix.empty());
        tiles = features.khr_cooperative_matrix.front();
    }
    const CooperativeShape& shape = tiles.shape;
    return {shader,
            128,
            tiles.subgroup_size,
            {256, shape.m, shape.n, shape.k, tiles.rows, tiles.tokens, turned}};
}

}  // namespace hearth::vulkan
