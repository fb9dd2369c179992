#include "cpu/kernels/generic/functions.h"
#include "cpu/kernels/tables.h"

namespace hearth::kernels {

constinit const KernelTable kGeneric{
    .name = "generic",
    .needs = 0,
    .weights = generic::weight_kernels(),
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
