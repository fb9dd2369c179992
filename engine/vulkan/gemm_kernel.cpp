#include "vulkan/gemm_kernel.h"

#include "base/assert.h"
#include "vulkan/matrix.h"

namespace hearth::vulkan {

bool is_cooperative(GemmForm form) {
    return form == GemmForm::CooperativeNv || form == GemmForm::CooperativeNvTransposed ||
           form == GemmForm::CooperativeKhr || form == GemmForm::CooperativeKhrTransposed;
}

bool is_transposed(GemmForm form) {
    return form == GemmForm::FloatsTransposed || form == GemmForm::CooperativeNvTransposed ||
           form == GemmForm::CooperativeKhrTransposed;
}

GemmForm gemm_form(const ShaderFeatures& features, DType type) {
    if (!features.khr_cooperative_matrix.empty()) {
        return GemmForm::CooperativeKhr;
    }
    if (features.nv_cooperative_matrix) {
        return GemmForm::CooperativeNv;
    }
    return is_quantized(type) && features.integer_dot ? GemmForm::Bytes : GemmForm::Floats;
}

GemmForm transposed_gemm_form(const ShaderFeatures& features) {
    if (!features.khr_cooperative_matrix.empty()) {
        return GemmForm::CooperativeKhrTransposed;
    }
    return features.nv_cooperative_matrix ? GemmForm::CooperativeNvTransposed
                                          : GemmForm::FloatsTransposed;
}

GemmKernel gemm_kernel(const ShaderFeatures& features, DType type, GemmForm form) {
    const Shader& shader = gemm_shader(type, form);
    if (!is_cooperative(form)) {
        return {shader, 64, 0, 0, {}};
    }
    if (form == GemmForm::CooperativeNv || form == GemmForm::CooperativeNvTransposed) {
        return {shader, 128, 32, 0, {}};
    }
    HEARTH_ASSERT(!features.khr_cooperative_matrix.empty());
    const CooperativeTiles& tiles = features.khr_cooperative_matrix.front();
    const CooperativeShape& shape = tiles.shape;
    return {shader,
            128,
            tiles.subgroup_size,
            6,
            {256, shape.m, shape.n, shape.k, tiles.rows, tiles.tokens}};
}

}  // namespace hearth::vulkan
