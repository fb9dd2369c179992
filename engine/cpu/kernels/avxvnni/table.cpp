#include "cpu/kernels/avx2/functions.h"
#include "cpu/kernels/avxvnni/functions.h"
#include "cpu/kernels/tables.h"

namespace hearth::kernels {
namespace {

consteval ByKind weight_kernels() {
    ByKind kernels = avx2::weight_kernels();
    kernels.at(CodeKind::Bits8, ScaleKind::Half).matmul = avxvnni::matmul_q8_0;
    kernels.at(CodeKind::Bits4, ScaleKind::Half).matmul = avxvnni::matmul_q4_0;
    return kernels;
}

}  // namespace

constinit const KernelTable kAvxVnni{
    .name = "avxvnni",
    .needs = cpu_flags::kAvx2 | cpu_flags::kAvxVnni,
    .weights = weight_kernels(),
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
