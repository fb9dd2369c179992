// Compiled while the build is configured, never run: whether the compiler knows the extension.
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
layout(local_size_x = 32) in;
layout(constant_id = 1) const uint M = 16;
layout(binding = 0) buffer Values {
    float values[];
};

void main() {
    coopmat<float16_t, gl_ScopeSubgroup, M, M, gl_MatrixUseA> a;
    coopmat<float16_t, gl_ScopeSubgroup, M, M, gl_MatrixUseB> b;
    coopmat<float, gl_ScopeSubgroup, M, M, gl_MatrixUseAccumulator> sums;
    a = coopmat<float16_t, gl_ScopeSubgroup, M, M, gl_MatrixUseA>(0.0);
    b = coopmat<float16_t, gl_ScopeSubgroup, M, M, gl_MatrixUseB>(0.0);
    coopMatLoad(sums, values, 0, M, gl_CooperativeMatrixLayoutColumnMajor);
    sums = coopMatMulAdd(a, b, sums);
    coopMatStore(sums, values, 0, M, gl_CooperativeMatrixLayoutColumnMajor);
}
