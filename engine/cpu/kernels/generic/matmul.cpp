// Plain loops over the packed layout: what the other tables are checked against, and what runs on a
// processor none of them knows.
#include "base/half.h"
#include "cpu/kernels/generic/codes.h"
#include "cpu/kernels/generic/functions.h"

namespace hearth::kernels::generic {
namespace {

struct F32Column {
    static constexpr int kBytes = 4;
    static float value(const std::byte* p) { return *reinterpret_cast<const float*>(p); }
};
struct F16Column {
    static constexpr int kBytes = 2;
    static float value(const std::byte* p) { return load_half(p); }
};
struct Bf16Column {
    static constexpr int kBytes = 2;
    static float value(const std::byte* p) {
        return bfloat16_to_float(static_cast<std::uint16_t>(load_byte(p) | load_byte(p + 1) << 8));
    }
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

// 32 columns of row r times 32 activations, of which groups of 4 lie `step` bytes apart. scales: of
// Bytes16, those before the codes q.
template <CodeKind codes, ScaleKind scale_kind>
int dot(const std::byte* scales, const std::byte* q, int r, const std::int8_t* x, int step) {
    int sum = 0;
    for (int k = 0; k < 2; ++k) {
        int part = 0;
        for (int c = 16 * k; c < 16 * (k + 1); ++c) {
            part += (tile_code<codes>(q, r, c) - kZero<codes>)*x[c / 4 * step + c % 4];
        }
        if constexpr (scale_kind == ScaleKind::Bytes16) {
            part *= static_cast<std::int8_t>(scales[k * kTileRows + r]);
        }
        sum += part;
    }
    return sum;
}

template <CodeKind codes, ScaleKind scale_kind>
void matmul_codes(const Matmul& task) {
    constexpr bool kBytes16 = scale_kind == ScaleKind::Bytes16;
    constexpr int kBlock = kBytes16 ? kSuperBlockValues : kBlockValues;  // columns of one d
    constexpr int kRunScales = kBytes16 ? 2 * kTileRows : 0;
    constexpr int kRunBytes = kRunScales + tile_code_bytes(codes);
    constexpr int kBlockBytes = 2 * kTileRows + kBlock / kBlockValues * kRunBytes;
    const int width = group_width(task.n_tokens);
    const std::size_t tile_bytes = static_cast<std::size_t>(task.cols / kBlock) * kBlockBytes;
    for (int first = task.first_row; first < task.last_row; first += kTileRows) {
        const std::byte* tile = task.w + static_cast<std::size_t>(first / kTileRows) * tile_bytes;
        const int n_rows = task.last_row - first < kTileRows ? task.last_row - first : kTileRows;
        for (int t = 0; t < task.n_tokens; ++t) {
            const std::byte* x = task.x + static_cast<std::size_t>(t / width) * task.x_stride;
            const int place = t % width;
            float sum[kTileRows] = {};
            const std::byte* block = tile;
            for (int b = 0; b < task.cols / kBlock; ++b, block += kBlockBytes) {
                const std::byte* run = block + 2 * kTileRows;
                for (int s = 0; s < kBlock / kBlockValues; ++s, run += kRunBytes) {
                    const auto* values = reinterpret_cast<const std::int8_t*>(x) + 4 * place;
                    const float d = reinterpret_cast<const float*>(x + width * kBlockValues)[place];
                    for (int r = 0; r < n_rows; ++r) {
                        const int products =
                            dot<codes, scale_kind>(run, run + kRunScales, r, values, 4 * width);
                        sum[r] += static_cast<float>(products) * (load_half(block + 2 * r) * d);
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
    matmul_codes<CodeKind::Bits8, ScaleKind::Half>(task);
}
void matmul_q4_0(const Matmul& task) {
    matmul_codes<CodeKind::Bits4, ScaleKind::Half>(task);
}
void matmul_q5_0(const Matmul& task) {
    matmul_codes<CodeKind::Bits5, ScaleKind::Half>(task);
}
void matmul_q6_k(const Matmul& task) {
    matmul_codes<CodeKind::Bits6, ScaleKind::Bytes16>(task);
}

}  // namespace hearth::kernels::generic
