#include "bench/kernel_bench.h"

namespace hearth::bench {

std::vector<ElementwiseSpeed> measure_elementwise(const kernels::KernelTable& table, int n) {
    const auto size = static_cast<std::size_t>(n);
    std::vector<float> x(size);
    for (std::size_t i = 0; i < size; ++i) {
        x[i] = 0.1F * static_cast<float>(i % 37) - 1.8F;
    }
    const std::vector<float> weight(size, 0.9F);
    std::vector<float> y(size);
    std::vector<std::uint16_t> halves(size);
    const int n_blocks = n / kBlockValues;
    AlignedBuffer blocks = buffer_of(kernels::activation_group_bytes(n, kernels::kTokenGroup));
    // bytes_per_value: read and written.
    const auto speed = [&](const char* name, double bytes_per_value, auto&& work) {
        return ElementwiseSpeed{name, bytes_per_value * n / seconds_of(work, 0.005) / 1e9};
    };
    return {
        speed("rms_norm", 12, [&] { table.rms_norm(x.data(), weight.data(), 1e-5F, y.data(), n); }),
        speed("quantize (alone)", 5.25,
              [&] { table.quantize_blocks(x.data(), blocks.data(), 1, 0, n_blocks); }),
        speed("quantize (in a group)", 5.25,
              [&] {
                  table.quantize_blocks(x.data(), blocks.data(), kernels::kTokenGroup, 1, n_blocks);
              }),
        speed("to_half", 6, [&] { table.to_half(x.data(), halves.data(), n); }),
        speed("add", 12, [&] { table.add_vector(weight.data(), y.data(), n); }),
        speed("silu_mul", 12, [&] { table.silu_mul(x.data(), weight.data(), y.data(), n); }),
    };
}

}  // namespace hearth::bench
