// Plain loops over the inputs that are kept (kernels/input_columns.h).
#include "base/half.h"
#include "cpu/kernels/generic/functions.h"

namespace hearth::kernels::generic {
namespace {

template <CodeKind codes>
int stored(const std::byte* column, int output) {
    if constexpr (codes == CodeKind::Bits4) {
        const int o = output % kColumnGroup;
        const int both =
            static_cast<int>(column[output / kColumnGroup * kColumnLine + line_byte(o % 64)]);
        return o < 64 ? both & 15 : both >> 4;
    } else {
        return static_cast<int>(column[output / 64 * kColumnLine + line_byte(output % 64)]);
    }
}

template <CodeKind codes>
void columns(const ColumnProduct& task) {
    constexpr int kOffsetFactor = codes == CodeKind::Bits4 ? 1 : 16;
    const std::size_t bytes = column_bytes(codes, task.width);
    for (int b = task.first_block; b < task.last_block; ++b) {
        const std::byte* block =
            task.w + static_cast<std::size_t>(b) * column_block_bytes(codes, task.width);
        const std::byte* first = block + 2 * task.width;
        const InputQuad* quads = task.quads + b * kBlockQuads;
        for (int o = 0; o < task.width && task.counts[b] > 0; ++o) {
            int sum = kOffsetFactor * task.offset[b];
            for (int i = 0; i < task.counts[b]; ++i) {
                for (int k = 0; k < 4; ++k) {
                    sum += stored<codes>(first + quads[i].input[k] * bytes, o) * quads[i].q[k];
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
    columns<CodeKind::Bits8>(task);
}
void columns_q4_0(const ColumnProduct& task) {
    columns<CodeKind::Bits4>(task);
}

}  // namespace hearth::kernels::generic
