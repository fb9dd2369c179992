// Plain loops over the layouts: what the other tables are checked against, and what runs on a
// processor none of them knows.
#include "cpu/kernels/generic/codes.h"
#include "cpu/kernels/generic/functions.h"
#include "cpu/kernels/packed_tile.h"
#include "cpu/kernels/tables.h"
#include "gguf/packed_block.h"

namespace hearth::kernels {
namespace generic {
namespace {

// y of a tile and a token.
void put(const Matmul& task, int first, int t, const float (&sum)[kTileRows]) {
    float* y = task.y + static_cast<std::size_t>(t) * task.y_stride + first;
    for (int r = 0; r < kTileRows && first + r < task.last_row; ++r) {
        y[r] = sum[r];
    }
}

template <class Element>
void matmul_floats(const Matmul& task) {
    for (int first = task.first_row; first < task.last_row; first += kTileRows) {
        for (int t = 0; t < task.n_tokens; ++t) {
            const auto* x = reinterpret_cast<const float*>(task.x + static_cast<std::size_t>(t) *
                                                                        task.x_stride);
            float sum[kTileRows] = {};
            const std::byte* w = task.w + static_cast<std::size_t>(first) *
                                              static_cast<std::size_t>(task.cols) * Element::kBytes;
            for (int c = 0; c < task.cols; ++c) {
                for (int r = 0; r < kTileRows; ++r, w += Element::kBytes) {
                    sum[r] += Element::value(w) * x[c];
                }
            }
            put(task, first, t, sum);
        }
    }
}

// sum[r] += row r of a tile times 32 activations, groups of 4 of which lie `step` bytes apart.
template <class Codes, class Scales>
void add_run(const std::byte* run, const std::int8_t* x, int step, int (&sum)[kTileRows]) {
    constexpr int kColumns = kBlockValues / Scales::kParts;
    for (int part = 0; part < Scales::kParts; ++part) {
        int products[kTileRows] = {};
        for (int c = part * kColumns; c < (part + 1) * kColumns; c += 4) {
            const std::int8_t* values = x + c / 4 * step;
            for (int r = 0; r < kTileRows; ++r) {
                for (int j = 0; j < 4; ++j) {
                    const int code =
                        Codes::tile(run + tile_run_scale_bytes(Scales::kKind), r, c + j);
                    products[r] += (code - Codes::kZero) * values[j];
                }
            }
        }
        for (int r = 0; r < kTileRows; ++r) {
            sum[r] += Scales::part(run, r, part) * products[r];
        }
    }
}

// Of a token's 32 activations.
float sum_of_values(const std::byte* x, int width, int token) {
    return static_cast<float>(
               reinterpret_cast<const std::int32_t*>(x + width * (kBlockValues + 4))[token]) /
           -8;
}

template <class Codes, class Scales>
void matmul_codes(const Matmul& task) {
    constexpr int kRunBytes = tile_run_scale_bytes(Scales::kKind) + tile_code_bytes(Codes::kKind);
    constexpr int kHeadBytes = tile_head_bytes(Scales::kKind);
    constexpr int kBlockBytes = kHeadBytes + Scales::kRuns * kRunBytes;
    const int n_blocks = task.cols / (kBlockValues * Scales::kRuns);
    const int width = group_width(task.n_tokens);
    for (int first = task.first_row; first < task.last_row; first += kTileRows) {
        for (int t = 0; t < task.n_tokens; ++t) {
            const std::byte* x = task.x + static_cast<std::size_t>(t / width) * task.x_stride;
            const std::byte* block = task.w + static_cast<std::size_t>(first / kTileRows) *
                                                  static_cast<std::size_t>(n_blocks) * kBlockBytes;
            float sum[kTileRows] = {};
            for (int b = 0; b < n_blocks; ++b, block += kBlockBytes) {
                for (int k = 0; k < Scales::kRuns; ++k, x += activation_block_bytes(width)) {
                    const std::byte* run = block + kHeadBytes + k * kRunBytes;
                    const auto* values = reinterpret_cast<const std::int8_t*>(x) + 4 * (t % width);
                    const float d =
                        reinterpret_cast<const float*>(x + width * kBlockValues)[t % width];
                    int products[kTileRows] = {};
                    add_run<Codes, Scales>(run, values, 4 * width, products);
                    for (int r = 0; r < kTileRows; ++r) {
                        sum[r] +=
                            static_cast<float>(products[r]) * (Scales::scale(block, k, r) * d);
                    }
                    if constexpr (Scales::kMinimum) {
                        const float values_sum = d * (sum_of_values(x, width, t % width));
                        for (int r = 0; r < kTileRows; ++r) {
                            sum[r] += values_sum * Scales::minimum(block, k, r);
                        }
                    }
                }
            }
            put(task, first, t, sum);
        }
    }
}

// Each row's block is taken apart for each token.
void matmul_packed(const Matmul& task) {
    const int n_blocks = task.cols / kSuperBlockValues;
    const int width = group_width(task.n_tokens);
    for (int row = task.first_row; row < task.last_row; ++row) {
        for (int t = 0; t < task.n_tokens; ++t) {
            const std::byte* x = task.x + static_cast<std::size_t>(t / width) * task.x_stride;
            float sum = 0.0F;
            for (int b = 0; b < n_blocks; ++b) {
                const auto tile = static_cast<std::size_t>(row / kTileRows * n_blocks + b);
                std::byte block[kMostPackedBytes];
                take_packed_block(task.packing, task.block_bytes,
                                  task.w + tile * kTileRows * task.block_bytes,
                                  static_cast<std::size_t>(row % kTileRows), block);
                std::uint8_t codes[kSuperBlockValues];
                PackedScales scales;
                take_packed_apart(task.packing, block, codes, 4, scales);
                for (int k = 0; k < 8; ++k, x += activation_block_bytes(width)) {
                    const auto* values = reinterpret_cast<const std::int8_t*>(x) + 4 * (t % width);
                    int products = 0;
                    int below = 0;
                    for (int c = 0; c < kBlockValues; ++c) {
                        const int value = values[c / 4 * 4 * width + c % 4];
                        const int part = 2 * k + c / 16;
                        products += scales.scales[part] *
                                    (codes[kBlockValues * k + c] - kPackedZero) * value;
                        below += scales.minima[part] * value;
                    }
                    const float d =
                        reinterpret_cast<const float*>(x + width * kBlockValues)[t % width];
                    sum += static_cast<float>(products) * (scales.d * d);
                    sum -= static_cast<float>(below) * (scales.minimum * d);
                }
            }
            task.y[static_cast<std::size_t>(t) * task.y_stride + static_cast<std::size_t>(row)] =
                sum;
        }
    }
}

template <class Element>
void dot_floats(const RowDot& task) {
    for (int i = 0; i < task.n; ++i) {
        const std::byte* row = task.rows + task.index[i] * task.stride;
        float sum = 0.0F;
        for (int c = 0; c < task.cols; ++c) {
            sum += Element::value(row + c * Element::kBytes) * task.x[c];
        }
        task.y[i] = sum;
    }
}

template <class Codes, class Scales>
void dot_codes(const RowDot& task) {
    constexpr int kRaise = Scales::kParts == 1 && !Scales::kMinimum ? kRaised<Codes::kKind> : 0;
    for (int i = 0; i < task.n; ++i) {
        const std::byte* row = task.rows + task.index[i] * task.stride;
        const std::byte* scales = row + row_code_bytes(Codes::kKind, task.cols);
        float sum = 0.0F;
        for (int b = 0; b < task.cols / kBlockValues; ++b) {
            const int first = b * kBlockValues;
            int products = 0;
            for (int c = first; c < first + kBlockValues; ++c) {
                const int code = Codes::row(row, task.cols, c);
                products +=
                    Scales::row_part(scales, c) * (code - Codes::kZero + kRaise) * task.q[c];
            }
            float value = task.d[b] * static_cast<float>(products);
            if constexpr (kRaise > 0) {
                value += static_cast<float>(kRaise) / 8 * task.offset[b];
            }
            sum += Scales::row(scales, task.cols, first) * value;
            if constexpr (Scales::kMinimum) {
                sum += Scales::row_minimum(scales, task.cols, first) * (task.offset[b] / -8);
            }
        }
        task.y[i] = sum;
    }
}

// Values: (row, cols, column).
template <CodeKind codes, class Values>
void add_rows(const RowAdd& task, Values&& values) {
    const int first = task.first_group * kRowGroup;
    for (int i = 0; i < task.n; ++i) {
        const std::byte* row = task.rows + task.index[i] * task.stride;
        for (int p = first; p < task.last_group * kRowGroup; ++p) {
            task.y[p - first] += task.a[i] * values(row, accumulator_column(codes, p));
        }
    }
}
template <class Element>
void add_floats(const RowAdd& task) {
    add_rows<Element::kKind>(task, [](const std::byte* row, int c) {
        return Element::value(row + c * Element::kBytes);
    });
}
template <class Codes, class Scales>
void add_codes(const RowAdd& task) {
    add_rows<Codes::kKind>(task, [&](const std::byte* row, int c) {
        const std::byte* scales = row + row_code_bytes(Codes::kKind, task.cols);
        const int code = Codes::row(row, task.cols, c) - Codes::kZero;
        const float value = Scales::row(scales, task.cols, c) *
                            static_cast<float>(Scales::row_part(scales, c) * code);
        if constexpr (Scales::kMinimum) {
            return value + Scales::row_minimum(scales, task.cols, c);
        }
        return value;
    });
}

template <class Codes>
void multiply_columns(const ColumnProduct& task) {
    const std::size_t block_bytes = column_block_bytes(Codes::kKind, task.width);
    for (int b = task.first_block; b < task.last_block; ++b) {
        const std::byte* scales = task.w + static_cast<std::size_t>(b) * block_bytes;
        const InputQuad* quads = task.quads + b * kBlockQuads;
        for (int o = 0; o < task.width && task.counts[b] > 0; ++o) {
            int sum = task.offset[b] * Codes::kZero / 8;
            for (int i = 0; i < 4 * task.counts[b]; ++i) {
                const InputQuad& quad = quads[i / 4];
                sum += Codes::column(scales + 2 * task.width, task.width, quad.input[i % 4], o) *
                       quad.q[i % 4];
            }
            task.y[o] += load_half(scales + 2 * o) * task.d[b] * static_cast<float>(sum);
        }
    }
}

#include "cpu/kernels/walks/table.inc"

}  // namespace
}  // namespace generic

constinit const KernelTable kGeneric = generic::table("generic", 0);

}  // namespace hearth::kernels
