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
    CooperativeTiles tiles = kNvTiles;
    if (form == GemmForm::CooperativeKhr) {
        HEARTH_ASSERT(!features.khr_cooperative_matrix.empty());
        tiles = features.khr_cooperative_matrix.front();
    }
    const bool cooperative = is_cooperative(form);
    return {gemm_shader(type, form),
            {.WORKGROUP = cooperative ? tiles.threads() : 128,
             .M = tiles.shape.m,
             .N = tiles.shape.n,
             .K = tiles.shape.k,
             .SUBGROUP_ROWS = tiles.rows,
             .SUBGROUP_TOKENS = tiles.tokens,
             .TRANSPOSED = transposed,
             .GROUPED = GROUPED_NOT,
             .PANELS = cooperative ? cooperative_panels(features, tiles) : 1,
             .HALVES = false},
            cooperative ? 128U : 64U,
            cooperative ? tiles.subgroup_size : 0};
}

}  // namespace hearth::vulkan
