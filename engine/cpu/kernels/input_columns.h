// Weights by input, for kernels that leave inputs out. All weights of one input lie in one run of
// memory, under the scales that the file gives them. Nothing is rounded anew. An input that is left
// out costs only its share of the scales.
//
// Outputs are padded with zeros to W, a multiple of 128. Per 32 inputs:
//   f16 d[W]; then for each of the 32 inputs a run of lines of 64 bytes:
//   Bits8     a line is 64 outputs, its byte line_byte(o) = 128 + code
//   Bits4, 5  a line is 128 outputs, low nibble of its byte line_byte(o): low four bits of the code
//             of output o, high nibble: of output 64 + o
// and behind the lines of all 32, for each input:
//   Bits5     u8 h[W / 128][16], bit i of h[g][j]: the high bit of output 128 g + 16 i + j
// line_byte() places the outputs so that four lines, interleaved byte by byte within 16 bytes, come
// out in the order of outputs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gguf/blocks.h"
#include "gguf/code_kinds.h"

namespace hearth::kernels {

inline constexpr int kColumnGroup = 128;  // outputs
inline constexpr int kColumnLine = 64;    // bytes

constexpr int input_column_width(int outputs) {
    return (outputs + kColumnGroup - 1) / kColumnGroup * kColumnGroup;
}
// Bytes of one input's run of lines.
constexpr std::size_t column_bytes(CodeKind codes, int width) {
    return static_cast<std::size_t>(codes == CodeKind::Bits8 ? width : width / 2);
}
// Bytes of one input's high bits.
constexpr std::size_t column_high_bytes(CodeKind codes, int width) {
    return static_cast<std::size_t>(codes == CodeKind::Bits8 ? 0 : width / 8 * high_bits(codes));
}
constexpr std::size_t column_block_bytes(CodeKind codes, int width) {
    return static_cast<std::size_t>(width) * 2 +
           kBlockValues * (column_bytes(codes, width) + column_high_bytes(codes, width));
}
// Of output o, 0 <= o < 64.
constexpr int line_byte(int o) {
    return o % 16 / 4 * 16 + o / 16 * 4 + o % 4;
}

// Where sums of integers are rounded on the way, products are taken with numbers that stand kRaised
// above the values' own, by scales of 32 columns, and the offset takes that back: in rows of
// neurons block by block, scale * (d * products + kRaised / 8 * offset), by input in each pass over
// some of the inputs. Bits5 has the number of Bits8: its sums are those of the same numbers in
// Bits8.
template <CodeKind codes>
inline constexpr int kRaised = codes == CodeKind::Bits4 ? 8 : 128;

// Four inputs of one block of 32 and their quantised values. A missing one is any input with the
// value 0.
struct InputQuad {
    std::uint8_t input[4];  // 0 to 31
    std::int8_t q[4];
};
inline constexpr int kBlockQuads = kBlockValues / 4;

// y[o] += sum over blocks b in [first_block, last_block) of
//         scale[b, o] * d[b] * (sum over b's quads of stored * q, + b's offset)
struct ColumnProduct {
    const std::byte* w;  // 64-byte aligned
    int width;           // input_column_width()
    int first_block;
    int last_block;
    const InputQuad* quads;      // block b's from b * kBlockQuads on
    const std::uint8_t* counts;  // quads of block b; 0: nothing of it is read
    const float* d;
    const std::int32_t* offset;  // -8 times the sum of the block's q
    float* y;                    // [width], 64-byte aligned
};
using ColumnFunction = void (*)(const ColumnProduct& task);

}  // namespace hearth::kernels
