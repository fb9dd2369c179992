// Matrices that the threads of a subgroup hold together, [M, K] times [K, N], and what is done with them, in the words
// of either extension. A matrix is loaded from and stored to an array whose rows, or columns, begin `stride` elements
// of it apart.
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_KHR_shader_subgroup_basic : require
#pragma use_vulkan_memory_model

#ifdef COOPERATIVE_KHR

#extension GL_KHR_cooperative_matrix : require
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint M = 16;
layout(constant_id = 2) const uint N = 16;
layout(constant_id = 3) const uint K = 16;
// What a subgroup computes of a workgroup's 128 by 128.
layout(constant_id = 4) const uint SUBGROUP_ROWS = 64;
layout(constant_id = 5) const uint SUBGROUP_TOKENS = 32;

#define LEFT coopmat<float16_t, gl_ScopeSubgroup, M, K, gl_MatrixUseA>
#define RIGHT coopmat<float16_t, gl_ScopeSubgroup, K, N, gl_MatrixUseB>
#define SUMS coopmat<float, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator>
#define BY_ROWS gl_CooperativeMatrixLayoutRowMajor
#define BY_COLUMNS gl_CooperativeMatrixLayoutColumnMajor
#define LOAD coopMatLoad
#define STORE coopMatStore
#define MULTIPLY_ADD coopMatMulAdd

#else

#extension GL_NV_cooperative_matrix : require
layout(local_size_x = 256) in;
const uint M = 16;
const uint N = 16;
const uint K = 16;
const uint SUBGROUP_ROWS = 64;
const uint SUBGROUP_TOKENS = 32;

#define LEFT fcoopmatNV<16, gl_ScopeSubgroup, M, K>
#define RIGHT fcoopmatNV<16, gl_ScopeSubgroup, K, N>
#define SUMS fcoopmatNV<32, gl_ScopeSubgroup, M, N>
#define BY_ROWS false
#define BY_COLUMNS true
#define LOAD coopMatLoadNV
#define STORE coopMatStoreNV
#define MULTIPLY_ADD coopMatMulAddNV

#endif
