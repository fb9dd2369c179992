// Plain loops over rows of neurons (kernels/neuron_rows.h).
#include "base/half.h"
#include "cpu/kernels/generic/codes.h"
#include "cpu/kernels/generic/functions.h"

namespace hearth::kernels::generic {
namespace {

struct F32Row {
    static float value(const std::byte* row, int, int c) {
        return reinterpret_cast<const float*>(row)[c];
    }
};
struct F16Row {
    static float value(const std::byte* row, int, int c) { return load_half(row + 2 * c); }
};
struct Bf16Row {
    static float value(const std::byte* row, int, int c) {
        return bfloat16_to_float(
            static_cast<std::uint16_t>(load_byte(row + 2 * c) | load_byte(row + 2 * c + 1) << 8));
    }
};
// The scale of column c. Bytes16: without the byte of its 16 columns.
template <CodeKind codes, ScaleKind scales>
float scale(const std::byte* row, int cols, int c) {
    const std::byte* d = row + row_code_bytes(codes, cols);
    if constexpr (scales == ScaleKind::Bytes16) {
        return load_half(d + cols / 16 + c / kSuperBlockValues * 2);
    }
    return load_half(d + c / kBlockValues * 2);
}

template <CodeKind codes>
int byte_scale(const std::byte* row, int cols, int c) {
    return static_cast<std::int8_t>(
        row[row_code_bytes(codes, cols) + static_cast<std::size_t>(c / 16)]);
}

template <CodeKind codes, ScaleKind scales>
struct CodeRow {
    static float value(const std::byte* row, int cols, int c) {
        int number = row_code<codes>(row, cols, c) - kZero<codes>;
        if constexpr (scales == ScaleKind::Bytes16) {
            number *= byte_scale<codes>(row, cols, c);
        }
        return scale<codes, scales>(row, cols, c) * static_cast<float>(number);
    }
};

template <class Row>
void dot_float(const RowDot& task) {
    for (int i = 0; i < task.n; ++i) {
        const std::byte* row = task.rows + task.index[i] * task.stride;
        float sum = 0.0F;
        for (int c = 0; c < task.cols; ++c) {
            sum += Row::value(row, task.cols, c) * task.x[c];
        }
        task.y[i] = sum;
    }
}

// One scale for 32 columns: products with what stands kRaised<codes> above the values, and the
// offset to take that back.
template <CodeKind codes>
void dot_half(const RowDot& task) {
    constexpr int kAbove = kRaised<codes>;
    for (int i = 0; i < task.n; ++i) {
        const std::byte* row = task.rows + task.index[i] * task.stride;
        float sum = 0.0F;
        for (int b = 0; b < task.cols / kBlockValues; ++b) {
            int products = 0;
            for (int c = b * kBlockValues; c < (b + 1) * kBlockValues; ++c) {
                products +=
                    (row_code<codes>(row, task.cols, c) - kZero<codes> + kAbove) * task.q[c];
            }
            sum += scale<codes, ScaleKind::Half>(row, task.cols, b * kBlockValues) *
                   (task.d[b] * static_cast<float>(products) +
                    static_cast<float>(kAbove / 8) * task.offset[b]);
        }
        task.y[i] = sum;
    }
}

template <CodeKind codes>
void dot_bytes16(const RowDot& task) {
    for (int i = 0; i < task.n; ++i) {
        const std::byte* row = task.rows + task.index[i] * task.stride;
        float sum = 0.0F;
        for (int b = 0; b < task.cols / kBlockValues; ++b) {
            int products = 0;
            for (int c = b * kBlockValues; c < (b + 1) * kBlockValues; ++c) {
                products += byte_scale<codes>(row, task.cols, c) *
                            (row_code<codes>(row, task.cols, c) - kZero<codes>)*task.q[c];
            }
            sum += scale<codes, ScaleKind::Bytes16>(row, task.cols, b * kBlockValues) *
                   (task.d[b] * static_cast<float>(products));
        }
        task.y[i] = sum;
    }
}

template <class Row, CodeKind codes>
void add_rows(const RowAdd& task) {
    for (int i = 0; i < task.n; ++i) {
        const std::byte* row = task.rows + task.index[i] * task.stride;
        for (int p = task.first_group * kRowGroup; p < task.last_group * kRowGroup; ++p) {
            task.y[p - task.first_group * kRowGroup] +=
                task.a[i] * Row::value(row, task.cols, accumulator_column(codes, p));
        }
    }
}

}  // namespace

void row_dot_f32(const RowDot& task) {
    dot_float<F32Row>(task);
}
void row_add_f32(const RowAdd& task) {
    add_rows<F32Row, CodeKind::F32>(task);
}
void row_dot_f16(const RowDot& task) {
    dot_float<F16Row>(task);
}
void row_add_f16(const RowAdd& task) {
    add_rows<F16Row, CodeKind::F16>(task);
}
void row_dot_bf16(const RowDot& task) {
    dot_float<Bf16Row>(task);
}
void row_add_bf16(const RowAdd& task) {
    add_rows<Bf16Row, CodeKind::BF16>(task);
}
void row_dot_q8_0(const RowDot& task) {
    dot_half<CodeKind::Bits8>(task);
}
void row_add_q8_0(const RowAdd& task) {
    add_rows<CodeRow<CodeKind::Bits8, ScaleKind::Half>, CodeKind::Bits8>(task);
}
void row_dot_q4_0(const RowDot& task) {
    dot_half<CodeKind::Bits4>(task);
}
void row_add_q4_0(const RowAdd& task) {
    add_rows<CodeRow<CodeKind::Bits4, ScaleKind::Half>, CodeKind::Bits4>(task);
}
void row_dot_q5_0(const RowDot& task) {
    dot_half<CodeKind::Bits5>(task);
}
void row_add_q5_0(const RowAdd& task) {
    add_rows<CodeRow<CodeKind::Bits5, ScaleKind::Half>, CodeKind::Bits5>(task);
}
void row_dot_q6_k(const RowDot& task) {
    dot_bytes16<CodeKind::Bits6>(task);
}
void row_add_q6_k(const RowAdd& task) {
    add_rows<CodeRow<CodeKind::Bits6, ScaleKind::Bytes16>, CodeKind::Bits6>(task);
}

}  // namespace hearth::kernels::generic
