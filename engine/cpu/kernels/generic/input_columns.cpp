// Plain loops over the inputs that are kept (kernels/input_columns.h).
#include "base/half.h"
#include "cpu/kernels/generic/functions.h"

namespace hearth::kernels::generic {
namespace {

template <DType type>
int stored(const std::byte* column, int output) {
    if constexpr (type == DType::Q4_0) {
        const int o = output % kColumnGroup;
        const int both =
            static_cast<int>(column[output / kColumnGroup * kColumnLine + line_byte(o % 64)]);
        return o < 64 ? both & 15 : both >> 4;
    } else {
        return static_cast<int>(column[output / 64 * kColumnLine + line_byte(output % 64)]);
    }
}

template <DType type>
void columns(const ColumnProduct& task) {
    constexpr int kOffsetFactor = type == DType::Q4_0 ? 1 : 16;
    const std::size_t bytes = column_bytes(type, task.width);
    for (int b = task.first_block; b < task.last_block; ++b) {
        const std::byte* block =
            task.w + static_cast<std::size_t>(b) * column_block_bytes(type, task.width);
        const std::byte* first = block + 2 * task.width;
        const InputQuad* quads = task.quads + b * kBlockQuads;
        for (int o = 0; o < task.width && task.counts[b] > 0; ++o) {
            int sum = kOffsetFactor * task.offset[b];
            for (int i = 0; i < task.counts[b]; ++i) {
                for (int k = 0; k < 4; ++k) {
                    sum += stored<type>(first + quads[i].input[k] * bytes, o) * quads[i].q[k];
                }
            }
            const auto d = static_cast<std::uint16_t>(static_cast<unsigned>(block[2 * o]) |
                                                      static_cast<unsigned>(block[2 * o + 1]) << 8);
            task.y[o] += half_to_float(d) * task.d[b] * static_cast<float>(sum);
        }
    }
}

}  // namespace

void columns_q8_0(const ColumnProduct& task) {
    columns<DType::Q8_0>(task);
}
void columns_q4_0(const ColumnProduct& task) {
    columns<DType::Q4_0>(task);
}

}  // namespace hearth::kernels::generic
