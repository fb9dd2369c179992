// Where codes and scales lie in the layouts, for every kind of them.
#pragma once

#include "base/half.h"
#include "cpu/kernels/kernels.h"

namespace hearth::kernels::generic {

inline int load_byte(const std::byte* p) {
    return static_cast<int>(*p);
}

inline float load_half(const std::byte* p) {
    return half_to_float(static_cast<std::uint16_t>(load_byte(p) | load_byte(p + 1) << 8));
}

// What is subtracted from a stored code: without a minimum, values lie on both sides of zero.
template <CodeKind codes>
inline constexpr int kZero = codes == CodeKind::Bits8 ? 128 : 8 << high_bits(codes);

// The high bits of a code, the `which`th of those that share a byte.
template <CodeKind codes>
int high_part(const std::byte* byte, int which) {
    constexpr int kBits = high_bits(codes);
    return (load_byte(byte) >> kBits * which & ((1 << kBits) - 1)) << 4;
}

// Column c of 32 of row r of a tile.
template <CodeKind codes>
int tile_code(const std::byte* q, int r, int c) {
    const int g = c / 4;
    const int j = c % 4;
    if constexpr (codes == CodeKind::Bits8) {
        return load_byte(q + (g * kTileRows + r) * 4 + j);
    } else {
        const int both = load_byte(q + (g % 4 * kTileRows + r) * 4 + j);
        const int low = g < 4 ? both & 15 : both >> 4;
        if constexpr (high_bits(codes) == 0) {
            return low;
        } else {
            constexpr int kSharing = 8 / high_bits(codes);
            const std::byte* h = q + 16 * kTileRows + (g / kSharing * kTileRows + r) * 4 + j;
            return low | high_part<codes>(h, g % kSharing);
        }
    }
}

// The high bits of code i of 128 of a row or of an input.
template <CodeKind codes>
int group_high(const std::byte* h, int i) {
    if constexpr (codes == CodeKind::Bits8 || high_bits(codes) == 0) {
        return 0;
    } else {
        constexpr int kSharing = 8 / high_bits(codes);
        const int run = i / 16;
        return high_part<codes>(h + run / kSharing * 16 + i % 16, run % kSharing);
    }
}

// Column c of a row of `cols` columns.
template <CodeKind codes>
int row_code(const std::byte* row, int cols, int c) {
    if constexpr (codes == CodeKind::Bits8) {
        return load_byte(row + c);
    } else {
        const int i = c % kRowGroup;
        const int both = load_byte(row + c / kRowGroup * (kRowGroup / 2) + i % 64);
        const std::byte* h = row + cols / 2 + c / kRowGroup * 16 * high_bits(codes);
        return (i < 64 ? both & 15 : both >> 4) | group_high<codes>(h, i);
    }
}

// Output o of an input, whose lines and high bits are given.
template <CodeKind codes>
int column_code(const std::byte* lines, const std::byte* h, int o) {
    const int i = o % kColumnGroup;
    if constexpr (codes == CodeKind::Bits8) {
        return load_byte(lines + o / 64 * kColumnLine + line_byte(i % 64));
    } else {
        const int both = load_byte(lines + o / kColumnGroup * kColumnLine + line_byte(i % 64));
        return (i < 64 ? both & 15 : both >> 4) |
               group_high<codes>(h + o / kColumnGroup * 16 * high_bits(codes), i);
    }
}

}  // namespace hearth::kernels::generic
