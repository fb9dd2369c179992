// Plain loops over rows of neurons (kernels/neuron_rows.h).
#include "base/half.h"
#include "cpu/kernels/generic/functions.h"

namespace hearth::kernels::generic {
namespace {

std::uint16_t load_u16(const std::byte* p) {
    return static_cast<std::uint16_t>(static_cast<unsigned>(p[0]) |
                                      (static_cast<unsigned>(p[1]) << 8));
}

struct F32Row {
    static float value(const std::byte* row, int, int c) {
        return reinterpret_cast<const float*>(row)[c];
    }
};
struct F16Row {
    static float value(const std::byte* row, int, int c) {
        return half_to_float(load_u16(row + 2 * c));
    }
};
struct Bf16Row {
    static float value(const std::byte* row, int, int c) {
        return bfloat16_to_float(load_u16(row + 2 * c));
    }
};
struct Q8Row {
    static constexpr float kOffsetFactor = 16.0F;
    static int stored(const std::byte* row, int c) { return static_cast<int>(row[c]); }
    static float scale(const std::byte* row, int cols, int block) {
        return half_to_float(load_u16(row + cols + 2 * block));
    }
    static float value(const std::byte* row, int cols, int c) {
        return scale(row, cols, c / kBlockValues) * static_cast<float>(stored(row, c) - 128);
    }
};
struct Q4Row {
    static constexpr float kOffsetFactor = 1.0F;
    static int stored(const std::byte* row, int c) {
        const int both = static_cast<int>(row[c / kRowGroup * 64 + c % 64]);
        return c % kRowGroup < 64 ? both & 15 : both >> 4;
    }
    static float scale(const std::byte* row, int cols, int block) {
        return half_to_float(load_u16(row + cols / 2 + 2 * block));
    }
    static float value(const std::byte* row, int cols, int c) {
        return scale(row, cols, c / kBlockValues) * static_cast<float>(stored(row, c) - 8);
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

template <class Row>
void dot_quantized(const RowDot& task) {
    for (int i = 0; i < task.n; ++i) {
        const std::byte* row = task.rows + task.index[i] * task.stride;
        float sum = 0.0F;
        for (int b = 0; b < task.cols / kBlockValues; ++b) {
            int products = 0;
            for (int c = b * kBlockValues; c < (b + 1) * kBlockValues; ++c) {
                products += Row::stored(row, c) * task.q[c];
            }
            sum += Row::scale(row, task.cols, b) *
                   (task.d[b] * static_cast<float>(products) + Row::kOffsetFactor * task.offset[b]);
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
    dot_quantized<Q8Row>(task);
}
void row_add_q8_0(const RowAdd& task) {
    add_rows<Q8Row, CodeKind::Bits8>(task);
}
void row_dot_q4_0(const RowDot& task) {
    dot_quantized<Q4Row>(task);
}
void row_add_q4_0(const RowAdd& task) {
    add_rows<Q4Row, CodeKind::Bits4>(task);
}

}  // namespace hearth::kernels::generic
