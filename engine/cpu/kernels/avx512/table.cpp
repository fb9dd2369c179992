#include "cpu/kernels/avx512/functions.h"
#include "cpu/kernels/tables.h"

namespace hearth::kernels {

constinit const KernelTable kAvx512{
    .name = "avx512",
    .needs = cpu_flags::kAvx2 | cpu_flags::kAvx512 | cpu_flags::kAvx512Vnni,
    .matmul_f32 = avx512::matmul_f32,
    .matmul_f16 = avx512::matmul_f16,
    .matmul_bf16 = avx512::matmul_bf16,
    .matmul_q8_0 = avx512::matmul_q8_0,
    .matmul_q4_0 = avx512::matmul_q4_0,
    .matmul_q6_k = avx512::matmul_q6_k,
    .rows_f32 = &avx512::kRowsF32,
    .rows_f16 = &avx512::kRowsF16,
    .rows_bf16 = &avx512::kRowsBf16,
    .rows_q8_0 = &avx512::kRowsQ8_0,
    .rows_q4_0 = &avx512::kRowsQ4_0,
    .columns_q8_0 = avx512::columns_q8_0,
    .columns_q4_0 = avx512::columns_q4_0,
    .quantize_blocks = avx512::quantize_blocks,
    .to_half = avx512::to_half,
    .rms_norm = avx512::rms_norm,
    .add = avx512::add,
    .silu_mul = avx512::silu_mul,
    .relu_mul = avx512::relu_mul,
    .drelu_mul = avx512::drelu_mul,
    .attention = avx512::attention,
};

}  // namespace hearth::kernels
