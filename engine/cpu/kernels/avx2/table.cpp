#include "cpu/kernels/avx2/functions.h"
#include "cpu/kernels/tables.h"

namespace hearth::kernels {

constinit const KernelTable kAvx2{
    .name = "avx2",
    .needs = cpu_flags::kAvx2,
    .weights = avx2::weight_kernels(),
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
