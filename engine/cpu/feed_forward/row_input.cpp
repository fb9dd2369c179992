#include "cpu/feed_forward/row_input.h"

#include <algorithm>
#include <cstring>

namespace hearth {

void RowInput::set(const ActivationRows& input) const {
    const int n_blocks = n_embd_ / kBlockValues;
    for (int b = 0; b < n_blocks; ++b) {
        const std::byte* block =
            input.quantized + static_cast<std::size_t>(b) * kernels::activation_block_bytes(1);
        float d;
        std::int32_t offset;
        std::memcpy(scratch_.q + b * kBlockValues, block, kBlockValues);
        std::memcpy(&d, block + kBlockValues, sizeof d);
        std::memcpy(&offset, block + kBlockValues + sizeof d, sizeof offset);
        scratch_.d[b] = d;
        scratch_.offset[b] = d * static_cast<float>(offset);
    }
    std::memcpy(scratch_.f32, input.f32, static_cast<std::size_t>(n_embd_) * sizeof(float));
}

void RowInput::set_zero() const {
    const auto cols = static_cast<std::size_t>(kernels::neuron_row_cols(n_embd_));
    std::fill_n(scratch_.q, cols, std::int8_t{0});
    std::fill_n(scratch_.f32, cols, 0.0F);
    std::fill_n(scratch_.d, cols / kBlockValues, 0.0F);
    std::fill_n(scratch_.offset, cols / kBlockValues, 0.0F);
}

}  // namespace hearth
