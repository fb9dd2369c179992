#include "cpu/feed_forward/kept_inputs.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

namespace hearth {

// Fills in quads, scales and offsets of some blocks of a token; returns how many inputs are kept.
// An input whose quantised value is 0 adds nothing, whatever the threshold, unless the block is
// damaged. The scale tells of infinity. It does not count a NaN, which makes the scale one.
int KeptInputs::keep(const ActivationRows& x, float threshold, int first_block,
                     int last_block) const {
    int kept = 0;
    for (int b = first_block; b < last_block; ++b) {
        const std::byte* block =
            x.quantized + static_cast<std::size_t>(b) * kernels::activation_block_bytes(1);
        std::array<std::int8_t, kBlockValues> q;
        float d;
        std::memcpy(q.data(), block, q.size());
        std::memcpy(&d, block + kBlockValues, sizeof d);
        const float* of_block = x.f32 + static_cast<std::size_t>(b) * kBlockValues;
        if (std::any_of(of_block, of_block + kBlockValues,
                        [](float value) { return std::isnan(value); })) {
            d = std::numeric_limits<float>::quiet_NaN();
        }
        const bool damaged = !std::isfinite(d);
        std::array<std::uint8_t, kBlockValues + 1> inputs;
        std::array<std::int8_t, kBlockValues + 4> values{};
        std::size_t n = 0;
        int sum = 0;
        for (std::size_t i = 0; i < kBlockValues; ++i) {
            const float size = std::fabs(of_block[i]);
            const bool is_kept = !(size < threshold) && (q[i] != 0 || damaged);
            inputs[n] = static_cast<std::uint8_t>(i);
            values[n] = q[i];
            sum += is_kept ? q[i] : 0;
            n += is_kept ? 1U : 0U;
        }
        const std::size_t n_quads = (n + 3) / 4;
        kernels::InputQuad* quads = scratch_.quads + b * kernels::kBlockQuads;
        for (std::size_t i = 0; i < 4 * n_quads; ++i) {
            // A missing input is the last one once more, times nothing: no memory of its own.
            quads[i / 4].input[i % 4] = inputs[std::min(i, n - 1)];
            quads[i / 4].q[i % 4] = i < n ? values[i] : std::int8_t{0};
        }
        scratch_.counts[b] = static_cast<std::uint8_t>(n_quads);
        scratch_.d[b] = d;
        scratch_.offset[b] = -8 * sum;
        kept += static_cast<int>(n);
    }
    return kept;
}

int KeptInputs::multiply(std::span<const ColumnMatrix* const> matrices, const ActivationRows& x,
                         float threshold) {
    const int n_blocks = x.cols / kBlockValues;
    const int n_chunks = std::min(kMostChunks, n_blocks);
    const auto width =
        static_cast<std::size_t>(kernels::input_column_width(matrices.front()->rows));
    const std::size_t all = matrices.size() * width;
    std::array<int, kMostChunks> kept{};
    pool_.run(n_chunks, [&](int chunk, int) {
        const int first = n_blocks * chunk / n_chunks;
        const int last = n_blocks * (chunk + 1) / n_chunks;
        kept[static_cast<std::size_t>(chunk)] = keep(x, threshold, first, last);
        float* sums = scratch_.sums + static_cast<std::size_t>(chunk) * all;
        std::memset(sums, 0, all * sizeof(float));
        for (const ColumnMatrix* matrix : matrices) {
            kernels_for(table_, matrix->type)
                .columns({matrix->data, static_cast<int>(width), first, last, scratch_.quads,
                          scratch_.counts, scratch_.d, scratch_.offset, sums});
            sums += width;
        }
    });
    n_chunks_ = n_chunks;
    width_ = width;
    all_ = all;
    return std::accumulate(kept.begin(), kept.end(), 0);
}

void KeptInputs::join(int matrix, int first, int n, float* y) const {
    const float* sums =
        scratch_.sums + static_cast<std::size_t>(matrix) * width_ + static_cast<std::size_t>(first);
    std::memcpy(y, sums, static_cast<std::size_t>(n) * sizeof(float));
    for (int chunk = 1; chunk < n_chunks_; ++chunk) {
        table_.add_vector(sums + static_cast<std::size_t>(chunk) * all_, y, n);
    }
}

}  // namespace hearth
