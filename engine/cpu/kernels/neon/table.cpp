#include "cpu/kernels/neon/functions.h"
#include "cpu/kernels/tables.h"

namespace hearth::kernels {

constinit const KernelTable kNeon{
    .name = "neon",
    .needs = cpu_flags::kNeonDotprod,
    .matmul_f32 = neon::matmul_f32,
    .matmul_f16 = neon::matmul_f16,
    .matmul_bf16 = neon::matmul_bf16,
    .matmul_q8_0 = neon::matmul_q8_0,
    .matmul_q4_0 = neon::matmul_q4_0,
    .matmul_q6_k = neon::matmul_q6_k,
    .rows_f32 = &neon::kRowsF32,
    .rows_f16 = &neon::kRowsF16,
    .rows_bf16 = &neon::kRowsBf16,
    .rows_q8_0 = &neon::kRowsQ8_0,
    .rows_q4_0 = &neon::kRowsQ4_0,
    .columns_q8_0 = neon::columns_q8_0,
    .columns_q4_0 = neon::columns_q4_0,
    .quantize_blocks = neon::quantize_blocks,
    .to_half = neon::to_half,
    .rms_norm = neon::rms_norm,
    .add = neon::add,
    .silu_mul = neon::silu_mul,
    .relu_mul = neon::relu_mul,
    .drelu_mul = neon::drelu_mul,
    .attention = neon::attention,
};

}  // namespace hearth::kernels
