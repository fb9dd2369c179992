// Q6_K in plain loops.
#include "base/half.h"
#include "cpu/kernels/generic/functions.h"

namespace hearth::kernels::generic {
namespace {

// 32 columns of one row times 32 activations, groups of 4 of which lie `step` bytes apart.
int dot(const std::byte* sub, int row, const std::int8_t* x, int step) {
    const auto* q = reinterpret_cast<const std::uint8_t*>(sub + 2 * kTileRows);
    const std::uint8_t* pairs = q + 16 * kTileRows;
    int sum = 0;
    for (int k = 0; k < 2; ++k) {
        int part = 0;
        for (int m = 0; m < 4; ++m) {
            for (int j = 0; j < 4; ++j) {
                const int low = q[(m * kTileRows + row) * 4 + j] >> 4 * k & 15;
                const int high = pairs[(k * kTileRows + row) * 4 + j] >> 2 * m & 3;
                part += (low + 16 * high - 32) * x[(4 * k + m) * step + j];
            }
        }
        sum += static_cast<std::int8_t>(sub[k * kTileRows + row]) * part;
    }
    return sum;
}

float load_half(const std::byte* p) {
    return half_to_float(
        static_cast<std::uint16_t>(static_cast<unsigned>(p[0]) | static_cast<unsigned>(p[1]) << 8));
}

}  // namespace

void matmul_q6_k(const Matmul& task) {
    const int n_blocks = task.cols / kSuperBlockValues;
    const int width = group_width(task.n_tokens);
    const std::size_t tile_bytes = static_cast<std::size_t>(n_blocks) * kQ6BlockBytes;
    for (int first = task.first_row; first < task.last_row; first += kTileRows) {
        const std::byte* tile = task.w + static_cast<std::size_t>(first / kTileRows) * tile_bytes;
        const int n_rows = task.last_row - first < kTileRows ? task.last_row - first : kTileRows;
        for (int t = 0; t < task.n_tokens; ++t) {
            const std::byte* x = task.x + static_cast<std::size_t>(t / width) * task.x_stride;
            const int place = t % width;
            float sum[kTileRows] = {};
            const std::byte* block = tile;
            for (int b = 0; b < n_blocks; ++b, block += kQ6BlockBytes) {
                const std::byte* sub = block + 2 * kTileRows;
                for (int s = 0; s < 8; ++s, sub += kQ6SubBlockBytes) {
                    const auto* values = reinterpret_cast<const std::int8_t*>(x) + 4 * place;
                    const float d = reinterpret_cast<const float*>(x + width * kBlockValues)[place];
                    for (int r = 0; r < n_rows; ++r) {
                        sum[r] += static_cast<float>(dot(sub, r, values, 4 * width)) *
                                  (load_half(block + 2 * r) * d);
                    }
                    x += activation_block_bytes(width);
                }
            }
            float* y = task.y + static_cast<std::size_t>(t) * task.y_stride + first;
            for (int r = 0; r < n_rows; ++r) {
                y[r] = sum[r];
            }
        }
    }
}

}  // namespace hearth::kernels::generic
