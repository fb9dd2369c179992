#include "cpu/kernels/generic/functions.h"
#include "cpu/kernels/tables.h"

namespace hearth::kernels {

constinit const KernelTable kGeneric{
    .name = "generic",
    .needs = 0,
    .matmul_f32 = generic::matmul_f32,
    .matmul_f16 = generic::matmul_f16,
    .matmul_bf16 = generic::matmul_bf16,
    .matmul_q8_0 = generic::matmul_q8_0,
    .matmul_q4_0 = generic::matmul_q4_0,
    .matmul_q6_k = generic::matmul_q6_k,
    .rows_f32 = &generic::kRowsF32,
    .rows_f16 = &generic::kRowsF16,
    .rows_bf16 = &generic::kRowsBf16,
    .rows_q8_0 = &generic::kRowsQ8_0,
    .rows_q4_0 = &generic::kRowsQ4_0,
    .columns_q8_0 = generic::columns_q8_0,
    .columns_q4_0 = generic::columns_q4_0,
    .quantize_blocks = generic::quantize_blocks,
    .to_half = generic::to_half,
    .rms_norm = generic::rms_norm,
    .add = generic::add,
    .silu_mul = generic::silu_mul,
    .relu_mul = generic::relu_mul,
    .drelu_mul = generic::drelu_mul,
    .attention = generic::attention,
};

}  // namespace hearth::kernels
