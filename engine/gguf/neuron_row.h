// The layout of a neuron row: a row by itself that kernels compute with as it is. The processor
// holds single neurons so, and packed files store them so. A row of gate, up or (transposed) down
// lies in one run of bytes.
//
// Columns go in groups of 128. A row is padded with zeros to whole groups. With C columns:
//   F32          f32[C]
//   F16, BF16    u16[C]
//   Bits8        u8 q[C]: 128 + code
//   the others   u8 q[C / 2]: byte j of a group's 64: low nibble: low four bits of code(j), high
//                nibble: of code(64 + j);
//                u8 h[C / 128][b][16], where b high bits lie apart: with s = 8 / b, b bits of byte
//                j of a group's h[k] from bit b * i on: those of code(16 * (s * k + i) + j)
// and behind the codes the scales:
//   Half         f16 d[C / 32]
//   HalfMin      f16 d[C / 32]; f16 minimum[C / 32]
//   Bytes16      i8 scale[C / 16]; f16 d[C / 256]
//   Six          per 256 the SixBits (gguf/six_bits.h) of 32 + scale; f16 d[C / 256]
//   SixMin       per 256 the SixBits of scale, those of minimum; f16 d[C / 256]; f16 minimum[C /
//                256]; value = d * scale * code + minimum * minimum
//   Power        u8 exponent[C / 32]
// A row is then padded to whole cache lines, or to kRowUnit where lines would cost a hundredth.
#pragma once

#include <cstddef>

#include "gguf/blocks.h"
#include "gguf/code_kinds.h"
#include "gguf/six_bits.h"

namespace hearth {

inline constexpr int kRowGroup = 128;
inline constexpr int kRowUnit = 16;  // bytes
inline constexpr int kRowLine = 64;  // bytes of a cache line

constexpr int neuron_row_cols(int cols) {
    return (cols + kRowGroup - 1) / kRowGroup * kRowGroup;
}

// Bytes of the codes of a row of neuron_row_cols() columns, and of the scales behind them that are
// no halves.
constexpr std::size_t row_code_bytes(CodeKind codes, int cols) {
    return static_cast<std::size_t>(
        codes == CodeKind::Bits8 ? cols : cols / 2 + cols / 8 * high_bits(codes));
}
constexpr std::size_t row_byte_scales(ScaleKind scales, int cols) {
    const auto n = static_cast<std::size_t>(cols);
    return scales == ScaleKind::Bytes16 ? n / 16
           : scales == ScaleKind::Power ? n / kBlockValues
           : has_six_bits(scales)       ? n / kSuperBlockValues * sizeof(SixBits) *
                                        static_cast<std::size_t>(half_count(scales))
                                  : 0;
}

}  // namespace hearth
