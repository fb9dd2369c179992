// Plain loops over the inputs that are kept (kernels/input_columns.h).
#include "cpu/kernels/generic/codes.h"
#include "cpu/kernels/generic/functions.h"

namespace hearth::kernels::generic {
namespace {

template <CodeKind codes>
void columns(const ColumnProduct& task) {
    const std::size_t bytes = column_bytes(codes, task.width);
    const std::size_t high_bytes = column_high_bytes(codes, task.width);
    for (int b = task.first_block; b < task.last_block; ++b) {
        const std::byte* block =
            task.w + static_cast<std::size_t>(b) * column_block_bytes(codes, task.width);
        const std::byte* lines = block + 2 * task.width;
        const std::byte* high = lines + kBlockValues * bytes;
        const InputQuad* quads = task.quads + b * kBlockQuads;
        for (int o = 0; o < task.width && task.counts[b] > 0; ++o) {
            int sum = kZero<codes> / 8 * task.offset[b];
            for (int i = 0; i < task.counts[b]; ++i) {
                for (int k = 0; k < 4; ++k) {
                    const std::size_t input = quads[i].input[k];
                    sum += column_code<codes>(lines + input * bytes, high + input * high_bytes, o) *
                           quads[i].q[k];
                }
            }
            task.y[o] += load_half(block + 2 * o) * task.d[b] * static_cast<float>(sum);
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
void columns_q5_0(const ColumnProduct& task) {
    columns<CodeKind::Bits5>(task);
}

}  // namespace hearth::kernels::generic
