#include "gguf/convert_neuron_row.h"

#include <algorithm>
#include <cstring>

#include "gguf/code_bits.h"
#include "gguf/rows.h"

namespace hearth {
namespace {

using code_bits::join_low;
using code_bits::split_low;

constexpr std::size_t kHalfGroup = kRowGroup / 2;
constexpr std::size_t kPieceValues = RowPiece::kValues;
constexpr std::size_t kHighRun = 16;       // bytes that a group has of each high bit
constexpr std::size_t kMostPadding = 100;  // a budget means the file's own bytes

std::size_t file_bytes(DType type, int cols) {
    return static_cast<std::size_t>(row_bytes(type, static_cast<std::uint64_t>(cols)));
}

// Calls visit(first column, values, bytes from a row's beginning) for each piece of a row.
template <class Visit>
void for_each_piece(DType type, int cols, Visit&& visit) {
    for (int first = 0; first < cols; first += RowPiece::kValues) {
        visit(first, std::min(RowPiece::kValues, cols - first), file_bytes(type, first));
    }
}

// Where the parts of a row of neurons begin.
struct RowPlaces {
    RowPlaces(const Encoding& encoding, int cols)
        : low_group(encoding.codes == CodeKind::Bits8 ? kRowGroup : kHalfGroup),
          low_bytes(static_cast<std::size_t>(cols / kRowGroup) * low_group),
          codes(row_code_bytes(encoding.codes, cols)),
          halves(codes + row_byte_scales(encoding.scales, cols)),
          half_bytes(static_cast<std::size_t>(cols / encoding.block_values) * 2) {}
    template <class Byte>
    Byte* half(Byte* row, int which) const {
        return row + halves + static_cast<std::size_t>(which) * half_bytes;
    }
    std::size_t low_group;  // bytes that 128 columns have in the beginning
    std::size_t low_bytes;
    std::size_t codes;  // bytes; behind them lie the scales of 16, if there are any
    std::size_t halves;
    std::size_t half_bytes;  // of one of them
};

// Puts the scales of `count` values from `first` on. `scales`: the row's first that is no half.
void put_byte_scales(const Encoding& encoding, const RowPiece& piece, std::size_t first,
                     std::size_t count, std::byte* scales) {
    const int n_six = half_count(encoding.scales);
    if (encoding.scales == ScaleKind::Bytes16) {
        std::memcpy(scales + first / 16, piece.scales, count / 16);
    } else if (encoding.scales == ScaleKind::Power) {
        for (std::size_t run = 0; run < count / kBlockValues; ++run) {
            scales[first / kBlockValues + run] = static_cast<std::byte>(piece.scales[2 * run]);
        }
    } else if (has_six_bits(encoding.scales)) {
        scales += first / kSuperBlockValues * static_cast<std::size_t>(n_six) * sizeof(SixBits);
        for (int i = 0; i < n_six; ++i, scales += sizeof(SixBits)) {
            code_bits::store(scales, join_six_bits(piece.scales + i, 2, six_zero(encoding.scales)));
        }
    }
}

void take_byte_scales(const Encoding& encoding, const std::byte* scales, std::size_t first,
                      std::size_t count, RowPiece& piece) {
    const int n_six = half_count(encoding.scales);
    if (encoding.scales == ScaleKind::Bytes16) {
        std::memcpy(piece.scales, scales + first / 16, count / 16);
    } else if (encoding.scales == ScaleKind::Power) {
        for (std::size_t run = 0; run < std::min(count, kPieceValues) / kBlockValues; ++run) {
            piece.scales[2 * run] = static_cast<std::int8_t>(scales[first / kBlockValues + run]);
        }
    } else if (has_six_bits(encoding.scales)) {
        scales += first / kSuperBlockValues * static_cast<std::size_t>(n_six) * sizeof(SixBits);
        for (int i = 0; i < n_six; ++i, scales += sizeof(SixBits)) {
            const auto six = code_bits::load<SixBits>(scales);
            std::int8_t* to = piece.scales + i;
            for (int run = 0; run < 8; ++run, to += 2) {
                *to = static_cast<std::int8_t>(six_bits(six, run) - six_zero(encoding.scales));
            }
        }
    }
}

// Codes beyond n, up to a multiple of 128, are put as zeros.
void put_in_row(const Encoding& encoding, RowPiece& piece, int first, int n, int cols,
                std::byte* row) {
    const RowPlaces places(encoding, cols);
    const auto count = static_cast<std::size_t>(n);
    const auto at = static_cast<std::size_t>(first);
    const std::size_t end = (count + kRowGroup - 1) / kRowGroup * kRowGroup;
    std::memset(piece.codes + count, 0, end - count);
    const auto bits = static_cast<unsigned>(high_bits(encoding.codes));
    for (std::size_t i = 0; i < end; i += kRowGroup) {
        const std::uint8_t* codes = piece.codes + i;
        const std::size_t group = (at + i) / kRowGroup;
        put_low(encoding.codes, codes, row + group * places.low_group);
        put_high(encoding.codes, codes, row + places.low_bytes + group * bits * kHighRun);
    }
    put_byte_scales(encoding, piece, at, count, row + places.codes);
    for (int h = 0; h < half_count(encoding.scales); ++h) {
        std::memcpy(places.half(row, h) + at / encoding.block_values * 2, piece.halves[h],
                    count / encoding.block_values * 2);
    }
}

}  // namespace

std::size_t neuron_row_bytes(DType type, int cols) {
    const std::size_t bytes = file_bytes(type, neuron_row_cols(cols));
    const auto up_to = [&](std::size_t unit) { return (bytes + unit - 1) / unit * unit; };
    const std::size_t lines = up_to(kRowLine);
    return lines - bytes <= bytes / kMostPadding ? lines : up_to(kRowUnit);
}

void to_neuron_row(DType type, const std::byte* file_row, int cols, std::byte* out) {
    const Encoding& encoding = encoding_of(type);
    std::memset(out, 0, neuron_row_bytes(type, cols));
    if (is_float(encoding.codes)) {
        std::memcpy(out, file_row, file_bytes(type, cols));
        return;
    }
    RowPiece piece;
    for_each_piece(type, cols, [&](int first, int n, std::size_t at) {
        take_apart(encoding, file_row + at, n, piece);
        put_in_row(encoding, piece, first, n, neuron_row_cols(cols), out);
    });
}

void from_neuron_row(DType type, const std::byte* row, int cols, std::byte* file_row) {
    const Encoding& encoding = encoding_of(type);
    if (is_float(encoding.codes)) {
        std::memcpy(file_row, row, file_bytes(type, cols));
        return;
    }
    RowPiece piece;
    for_each_piece(type, cols, [&](int first, int n, std::size_t at) {
        take_from_neuron_row(encoding, row, first, n, neuron_row_cols(cols), piece);
        put_together(encoding, piece, n, file_row + at);
    });
}

void take_from_neuron_row(const Encoding& encoding, const std::byte* row, int first, int n,
                          int cols, RowPiece& piece) {
    const RowPlaces places(encoding, cols);
    const auto count = static_cast<std::size_t>(n);
    const auto at = static_cast<std::size_t>(first);
    const auto bits = static_cast<unsigned>(high_bits(encoding.codes));
    for (std::size_t i = 0; i < count; i += kRowGroup) {
        std::uint8_t* codes = piece.codes + i;
        const std::size_t group = (at + i) / kRowGroup;
        if (encoding.codes == CodeKind::Bits8) {
            std::memcpy(codes, row + group * kRowGroup, kRowGroup);
            continue;
        }
        split_low(row + group * kHalfGroup, kHalfGroup, codes);
        if (bits > 0) {
            code_bits::split_high(row + places.low_bytes + group * bits * kHighRun, kHighRun, bits,
                                  kRowGroup, codes);
        }
    }
    take_byte_scales(encoding, row + places.codes, at, count, piece);
    for (int h = 0; h < half_count(encoding.scales); ++h) {
        std::memcpy(piece.halves[h], places.half(row, h) + at / encoding.block_values * 2,
                    count / encoding.block_values * 2);
    }
}

void put_low(CodeKind kind, const std::uint8_t* codes, std::byte* low) {
    if (kind == CodeKind::Bits8) {
        std::memcpy(low, codes, kRowGroup);
    } else {
        join_low(codes, kHalfGroup, low);
    }
}

void put_high(CodeKind kind, const std::uint8_t* codes, std::byte* high) {
    if (const auto bits = static_cast<unsigned>(high_bits(kind)); bits > 0) {
        code_bits::join_high(codes, kHighRun, bits, kRowGroup, high);
    }
}

}  // namespace hearth
