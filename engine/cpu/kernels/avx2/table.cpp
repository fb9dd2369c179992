#include "cpu/kernels/avx2/functions.h"
#include "cpu/kernels/tables.h"

namespace hearth::kernels {

constinit const KernelTable kAvx2{
    .name = "avx2",
    .needs = cpu_flags::kAvx2,
    .matmul_f32 = avx2::matmul_f32,
    .matmul_f16 = avx2::matmul_f16,
    .matmul_bf16 = avx2::matmul_bf16,
    .matmul_q8_0 = avx2::matmul_q8_0,
    .matmul_q4_0 = avx2::matmul_q4_0,
    .matmul_q6_k = avx2::matmul_q6_k,
    .rows_f32 = &avx2::kRowsF32,
    .rows_f16 = &avx2::kRowsF16,
    .rows_bf16 = &avx2::kRowsBf16,
    .rows_q8_0 = &avx2::kRowsQ8_0,
    .rows_q4_0 = &avx2::kRowsQ4_0,
    .columns_q8_0 = avx2::columns_q8_0,
    .columns_q4_0 = avx2::columns_q4_0,
    .quantize_blocks = avx2::quantize_blocks,
    .to_half = avx2::to_half,
    .rms_norm = avx2::rms_norm,
    .add = avx2::add,
    .silu_mul = avx2::silu_mul,
    .relu_mul = avx2::relu_mul,
    .drelu_mul = avx2::drelu_mul,
    .attention = avx2::attention,
};

}  // namespace hearth::kernels
