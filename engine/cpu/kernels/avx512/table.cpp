#include "cpu/kernels/avx512/functions.h"
#include "cpu/kernels/tables.h"

namespace hearth::kernels {

constinit const KernelTable kAvx512{
    .name = "avx512",
    .needs = cpu_flags::kAvx2 | cpu_flags::kAvx512 | cpu_flags::kAvx512Vnni,
    .weights = avx512::weight_kernels(),
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
