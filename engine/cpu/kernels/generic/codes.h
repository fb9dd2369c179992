// The kinds of codes and scales, one value at a time. Layouts: kernels.h (tiles), neuron_rows.h,
// input_columns.h.
#pragma once

#include <cstring>

#include "base/half.h"
#include "cpu/kernels/kernels.h"

namespace hearth::kernels::generic {
namespace {

inline std::uint16_t load_u16(const std::byte* p) {
    return static_cast<std::uint16_t>(static_cast<unsigned>(p[0]) |
                                      (static_cast<unsigned>(p[1]) << 8));
}
inline float load_half(const std::byte* p) {
    return half_to_float(load_u16(p));
}
inline int load_signed(const std::byte* p) {
    return static_cast<std::int8_t>(*p);
}

struct F32 {
    static constexpr CodeKind kKind = CodeKind::F32;
    static constexpr int kBytes = 4;
    static float value(const std::byte* p) { return *reinterpret_cast<const float*>(p); }
};
struct F16 {
    static constexpr CodeKind kKind = CodeKind::F16;
    static constexpr int kBytes = 2;
    static float value(const std::byte* p) { return load_half(p); }
};
struct BF16 {
    static constexpr CodeKind kKind = CodeKind::BF16;
    static constexpr int kBytes = 2;
    static float value(const std::byte* p) { return bfloat16_to_float(load_u16(p)); }
};

struct Bytes {
    static constexpr CodeKind kKind = CodeKind::Bits8;
    static constexpr int kZero = stored_offset(kKind);

    // Of column c of the 32 whose codes begin at q.
    static int tile(const std::byte* q, int row, int c) {
        return static_cast<int>(q[(c / 4 * kTileRows + row) * 4 + c % 4]);
    }
    static int row(const std::byte* row, int /*cols*/, int c) { return static_cast<int>(row[c]); }
    // Of the 32 inputs whose lines begin at q.
    static int column(const std::byte* q, int width, int input, int output) {
        const int at = output / 64 * kColumnLine + line_byte(output % 64);
        return static_cast<int>(q[input * width + at]);
    }
};

template <CodeKind kind, int zero>
struct Nibbles {
    static constexpr CodeKind kKind = kind;
    static constexpr int kZero = zero;
    static constexpr int kHigh = high_bits(kind);

    static int code(std::byte both, bool second, const std::byte* h, int step, int at) {
        const int low = second ? static_cast<int>(both) >> 4 : static_cast<int>(both) & 15;
        if constexpr (has_code_table(kind)) {
            return code_table(kind)[low] + kZero;
        } else if constexpr (kHigh == 0) {
            return low;
        } else {
            const int byte = static_cast<int>(h[kHigh * at / 8 * step]);
            return low | (byte >> kHigh * at % 8 & ((1 << kHigh) - 1)) << 4;
        }
    }
    static int tile(const std::byte* q, int row, int c) {
        const int at = 4 * row + c % 4;
        return code(q[c % 16 / 4 * 4 * kTileRows + at], c >= 16, q + 16 * kTileRows + at,
                    4 * kTileRows, c / 4);
    }
    static int row(const std::byte* row, int cols, int c) {
        const int group = c / kRowGroup;
        const int i = c % kRowGroup;
        return code(row[group * 64 + i % 64], i >= 64, row + cols / 2 + group * 16 * kHigh + i % 16,
                    16, i / 16);
    }
    static int column(const std::byte* q, int width, int input, int output) {
        const int group = output / kColumnGroup;
        const int o = output % kColumnGroup;
        const std::byte* h = q + width / 2 * kBlockValues + input * (width / 8 * kHigh);
        return code(q[input * (width / 2) + group * kColumnLine + line_byte(o % 64)], o >= 64,
                    h + group * 16 * kHigh + o % 16, 16, o / 16);
    }
};

template <CodeKind kind, int zero>
struct CodesOf {
    using Type = Nibbles<kind, zero>;
};
template <int zero>
struct CodesOf<CodeKind::Bits8, zero> {
    using Type = Bytes;
};

template <ScaleKind kind>
struct ScalesOf {
    static constexpr ScaleKind kKind = kind;
    static constexpr bool kMinimum = has_minimum(kind);
    static constexpr int kRuns = 1;   // of 32 columns of a tile's block
    static constexpr int kParts = 1;  // of a run, under a scale of their own

    // Run k of a tile's block has these.
    static float scale(const std::byte* block, int /*k*/, int row) {
        return load_half(block + 2 * row);
    }
    static float minimum(const std::byte* block, int /*k*/, int row) {
        return load_half(block + 2 * (kTileRows + row));
    }
    static int part(const std::byte* /*run*/, int /*row*/, int /*part*/) { return 1; }
    static int row_part(const std::byte* /*scales*/, int /*c*/) { return 1; }
    static float row(const std::byte* scales, int /*cols*/, int c) {
        return load_half(scales + c / kBlockValues * 2);
    }
    static float row_minimum(const std::byte* scales, int cols, int c) {
        return row(scales + cols / kBlockValues * 2, cols, c);
    }
};
template <ScaleKind kind>
struct SixScales {
    static constexpr ScaleKind kKind = kind;
    static constexpr bool kMinimum = has_minimum(kind);
    static constexpr int kRuns = 8;
    static constexpr int kParts = 1;

    static float six(const std::byte* numbers, int k, int row) {
        const int low = static_cast<int>(numbers[k % 4 * kTileRows + row]) >> 4 * (k / 4) & 15;
        const int high =
            static_cast<int>(numbers[(4 + k / 4) * kTileRows + row]) >> 2 * (k % 4) & 3;
        return static_cast<float>((low | high << 4) - six_zero(kind));
    }
    static float scale(const std::byte* block, int k, int row) {
        return load_half(block + 2 * row) * six(block + 2 * kTileRows * half_count(kind), k, row);
    }
    static float minimum(const std::byte* block, int k, int row) {
        return load_half(block + 2 * (kTileRows + row)) *
               six(block + 2 * kTileRows * half_count(kind) + kTileSixBytes, k, row);
    }
    static int part(const std::byte* /*run*/, int /*row*/, int /*part*/) { return 1; }
    static int row_part(const std::byte* /*scales*/, int /*c*/) { return 1; }

    // The `which`th number of six bits of a block times its f16.
    static float row_of(const std::byte* scales, int cols, int c, int which) {
        constexpr int kNumbers = half_count(kind);
        const int block = c / kSuperBlockValues;
        SixBits six;
        std::memcpy(&six, scales + (block * kNumbers + which) * int{sizeof six}, sizeof six);
        const int n_blocks = cols / kSuperBlockValues;
        const std::byte* halves = scales + n_blocks * kNumbers * int{sizeof six};
        const int number = six_bits(six, c % kSuperBlockValues / kBlockValues) - six_zero(kind);
        return load_half(halves + (which * n_blocks + block) * 2) * static_cast<float>(number);
    }
    static float row(const std::byte* scales, int cols, int c) {
        return row_of(scales, cols, c, 0);
    }
    static float row_minimum(const std::byte* scales, int cols, int c) {
        return row_of(scales, cols, c, 1);
    }
};
template <>
struct ScalesOf<ScaleKind::Six> : SixScales<ScaleKind::Six> {};
template <>
struct ScalesOf<ScaleKind::SixMin> : SixScales<ScaleKind::SixMin> {};
template <>
struct ScalesOf<ScaleKind::Power> {
    static constexpr ScaleKind kKind = ScaleKind::Power;
    static constexpr bool kMinimum = false;
    static constexpr int kRuns = 1;
    static constexpr int kParts = 1;

    static float scale(const std::byte* block, int /*k*/, int row) { return power_of(block[row]); }
    static int part(const std::byte* /*run*/, int /*row*/, int /*part*/) { return 1; }
    static int row_part(const std::byte* /*scales*/, int /*c*/) { return 1; }
    static float row(const std::byte* scales, int /*cols*/, int c) {
        return power_of(scales[c / kBlockValues]);
    }
};
template <>
struct ScalesOf<ScaleKind::Bytes16> {
    static constexpr ScaleKind kKind = ScaleKind::Bytes16;
    static constexpr bool kMinimum = false;
    static constexpr int kRuns = 8;
    static constexpr int kParts = 2;

    static float scale(const std::byte* block, int /*k*/, int row) {
        return load_half(block + 2 * row);
    }
    static int part(const std::byte* run, int row, int part) {
        return load_signed(run + part * kTileRows + row);
    }
    static int row_part(const std::byte* scales, int c) { return load_signed(scales + c / 16); }
    static float row(const std::byte* scales, int cols, int c) {
        return load_half(scales + cols / 16 + c / kSuperBlockValues * 2);
    }
};

}  // namespace
}  // namespace hearth::kernels::generic
