#include "cpu/kernels/neon/functions.h"
#include "cpu/kernels/tables.h"

namespace hearth::kernels {

constinit const KernelTable kNeon{
    .name = "neon",
    .needs = cpu_flags::kNeonDotprod,
    .weights = neon::weight_kernels(),
    .quantize_blocks = neon::quantize_blocks,
    .to_half = neon::to_half,
    .rms_norm = neon::rms_norm,
    .add = neon::add_vector,
    .silu_mul = neon::silu_mul,
    .gelu_mul = neon::gelu_mul,
    .relu_mul = neon::relu_mul,
    .drelu_mul = neon::drelu_mul,
    .attention = neon::attention,
};

}  // namespace hearth::kernels
