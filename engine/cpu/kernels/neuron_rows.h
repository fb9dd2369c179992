// Weights by neuron, for kernels that compute single neurons. A row of gate, up or (transposed)
// down lies in one run of memory, in a form of its own.
//
// Columns go in groups of 128. A row is padded with zeros to whole groups. With C columns:
//   F32          f32[C]
//   F16, BF16    u16[C]
//   Bits8        u8 q[C]: 128 + code
//   Bits4, 5, 6  u8 q[C / 2]: byte j of a group's 64: low nibble: low four bits of code(j), high
//                nibble: of code(64 + j);
//                u8 h[C / 128][b][16], where b high bits lie apart: with s = 8 / b, b bits of byte
//                j of a group's h[k] from bit b * i on: those of code(16 * (s * k + i) + j)
// and behind the codes the scales:
//   Half         f16 d[C / 32]
//   HalfMin      f16 d[C / 32]; f16 minimum[C / 32]
//   Bytes16      i8 scale[C / 16]; f16 d[C / 256]
// A row is then padded to whole cache lines, or to kRowUnit where lines would cost a hundredth.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gguf/blocks.h"
#include "gguf/code_kinds.h"

namespace hearth::kernels {

inline constexpr int kRowGroup = 128;
inline constexpr int kRowUnit = 16;  // bytes

constexpr int row_form_cols(int cols) {
    return (cols + kRowGroup - 1) / kRowGroup * kRowGroup;
}

// Bytes of a row's codes.
constexpr std::size_t row_code_bytes(CodeKind codes, int cols) {
    return static_cast<std::size_t>(
        codes == CodeKind::Bits8 ? cols : cols / 2 + cols / 8 * high_bits(codes));
}

// y[i] = sum over c of w[index[i], c] * x[c] for i < n.
struct RowDot {
    const std::byte* rows;  // 64-byte aligned
    std::size_t stride;     // bytes from one row to the next, a multiple of kRowUnit
    int cols;               // row_form_cols()
    const std::uint16_t* index;
    int n;
    // x, zero beyond the last real column: f32[cols] for F32, F16 and BF16 weights, else
    // x[c] = d[c / 32] * q[c], and offset[b] = -8 * d[b] * (sum of q in block b).
    const float* x;
    const std::int8_t* q;
    const float* d;
    const float* offset;
    float* y;
};
using RowDotFunction = void (*)(const RowDot& task);

// y[p - p0] += sum over i < n of a[i] * w[index[i], column(p)], in the order of i. p runs over the
// places of groups [first_group, last_group), and p0 is the first of them. column(p) is
// accumulator_column(): sums stay in the order in which the nibbles are unpacked.
struct RowAdd {
    const std::byte* rows;
    std::size_t stride;
    int cols;
    const std::uint16_t* index;
    int n;
    const float* a;
    int first_group;
    int last_group;
    float* y;  // of first_group on, 64-byte aligned
};
using RowAddFunction = void (*)(const RowAdd& task);

constexpr int accumulator_column(CodeKind codes, int place) {
    if (is_float(codes) || codes == CodeKind::Bits8) {
        return place;
    }
    const int k = place % kRowGroup / 16;  // nibble of a dword
    const int lane = place % 16;           // dword
    return place / kRowGroup * kRowGroup + 4 * lane + k / 2 + 64 * (k % 2);
}

}  // namespace hearth::kernels
