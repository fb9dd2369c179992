// Matrices that the threads of a subgroup hold together, [M, K] times [K, N], and what is done with them, in the words
// of either extension. A matrix is loaded from and stored to an array whose rows, or columns, begin `stride` elements
// of it apart. Included before the interface: extensions come first.
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_KHR_shader_subgroup_basic : require
#pragma use_vulkan_memory_model

#ifdef COOPERATIVE_KHR

#extension GL_KHR_cooperative_matrix : require

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
#define FIXED_SIZES

#define LEFT fcoopmatNV<16, gl_ScopeSubgroup, M, K>
#define RIGHT fcoopmatNV<16, gl_ScopeSubgroup, K, N>
#define SUMS fcoopmatNV<32, gl_ScopeSubgroup, M, N>
#define BY_ROWS false
#define BY_COLUMNS true
#define LOAD coopMatLoadNV
#define STORE coopMatStoreNV
#define MULTIPLY_ADD coopMatMulAddNV

#endif
