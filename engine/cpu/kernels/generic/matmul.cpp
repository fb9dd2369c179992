// Plain loops over the packed layout: what the other tables are checked against, and what runs on a
// processor none of them knows.
#include "base/half.h"
#include "cpu/kernels/generic/functions.h"

namespace hearth::kernels::generic {
namespace {

std::uint16_t load_u16(const std::byte* p) {
    return static_cast<std::uint16_t>(static_cast<unsigned>(p[0]) |
                                      (static_cast<unsigned>(p[1]) << 8));
}

struct F32Column {
    static constexpr int kBytes = 4;
    static float value(const std::byte* p) { return *reinterpret_cast<const float*>(p); }
};
struct F16Column {
    static constexpr int kBytes = 2;
    static float value(const std::byte* p) { return half_to_float(load_u16(p)); }
};
struct Bf16Column {
    static constexpr int kBytes = 2;
    static float value(const std::byte* p) { return bfloat16_to_float(load_u16(p)); }
};

template <class Column>
void matmul_float(const Matmul& task) {
    for (int first = task.first_row; first < task.last_row; first += kTileRows) {
        const std::byte* tile = task.w + static_cast<std::size_t>(first) *
                                             static_cast<std::size_t>(task.cols) * Column::kBytes;
        const int n_rows = task.last_row - first < kTileRows ? task.last_row - first : kTileRows;
        for (int t = 0; t < task.n_tokens; ++t) {
            const auto* x = reinterpret_cast<const float*>(task.x + static_cast<std::size_t>(t) *
                                                                        task.x_stride);
            float sum[kTileRows] = {};
            const std::byte* w = tile;
            for (int c = 0; c < task.cols; ++c) {
                for (int r = 0; r < kTileRows; ++r, w += Column::kBytes) {
                    sum[r] += Column::value(w) * x[c];
                }
            }
            float* y = task.y + static_cast<std::size_t>(t) * task.y_stride + first;
            for (int r = 0; r < n_rows; ++r) {
                y[r] = sum[r];
            }
        }
    }
}

// What differs between Q4_0 and Q8_0: the bytes of a packed block, and its integer dot product with
// 32 activations, before the offset: groups of 4 activations lie `step` bytes apart.
struct Q4Block {
    static constexpr int kBytes = kTileRows * 18;
    static constexpr int kOffsetFactor = 1;
    static int dot(const std::uint8_t* q, int row, const std::int8_t* x, int step) {
        int sum = 0;
        for (int g = 0; g < 4; ++g) {
            for (int j = 0; j < 4; ++j) {
                const int both = q[(g * kTileRows + row) * 4 + j];
                sum += (both & 15) * x[g * step + j] + (both >> 4) * x[(4 + g) * step + j];
            }
        }
        return sum;
    }
};
struct Q8Block {
    static constexpr int kBytes = kTileRows * 34;
    static constexpr int kOffsetFactor = 16;
    static int dot(const std::uint8_t* q, int row, const std::int8_t* x, int step) {
        int sum = 0;
        for (int g = 0; g < 8; ++g) {
            for (int j = 0; j < 4; ++j) {
                sum += q[(g * kTileRows + row) * 4 + j] * x[g * step + j];
            }
        }
        return sum;
    }
};

template <class Block>
void matmul_quantized(const Matmul& task) {
    const int n_blocks = task.cols / kBlockValues;
    const int width = group_width(task.n_tokens);
    const std::size_t tile_bytes = static_cast<std::size_t>(n_blocks) * Block::kBytes;
    for (int first = task.first_row; first < task.last_row; first += kTileRows) {
        const std::byte* tile = task.w + static_cast<std::size_t>(first / kTileRows) * tile_bytes;
        const int n_rows = task.last_row - first < kTileRows ? task.last_row - first : kTileRows;
        for (int t = 0; t < task.n_tokens; ++t) {
            const std::byte* x = task.x + static_cast<std::size_t>(t / width) * task.x_stride;
            const int place = t % width;
            float sum[kTileRows] = {};
            for (int b = 0; b < n_blocks; ++b, x += activation_block_bytes(width)) {
                const std::byte* block = tile + static_cast<std::size_t>(b) * Block::kBytes;
                const auto* q = reinterpret_cast<const std::uint8_t*>(block + 2 * kTileRows);
                const auto* values = reinterpret_cast<const std::int8_t*>(x) + 4 * place;
                const auto* d = reinterpret_cast<const float*>(x + width * kBlockValues) + place;
                const auto* offset = reinterpret_cast<const std::int32_t*>(d + width);
                for (int r = 0; r < n_rows; ++r) {
                    const int dot =
                        Block::dot(q, r, values, 4 * width) + *offset * Block::kOffsetFactor;
                    sum[r] +=
                        static_cast<float>(dot) * (half_to_float(load_u16(block + 2 * r)) * *d);
                }
            }
            float* y = task.y + static_cast<std::size_t>(t) * task.y_stride + first;
            for (int r = 0; r < n_rows; ++r) {
                y[r] = sum[r];
            }
        }
    }
}

}  // namespace

void matmul_f32(const Matmul& task) {
    matmul_float<F32Column>(task);
}
void matmul_f16(const Matmul& task) {
    matmul_float<F16Column>(task);
}
void matmul_bf16(const Matmul& task) {
    matmul_float<Bf16Column>(task);
}
void matmul_q8_0(const Matmul& task) {
    matmul_quantized<Q8Block>(task);
}
void matmul_q4_0(const Matmul& task) {
    matmul_quantized<Q4Block>(task);
}

}  // namespace hearth::kernels::generic
