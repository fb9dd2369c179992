#include "gguf/row_piece.h"

#include <cstring>

#include "base/half.h"
#include "gguf/code_bits.h"

namespace hearth {
namespace {

// Codes of 8 bits: their offset is a flip of the highest, one way and the other.
void flip_bytes(const void* from, std::size_t n, void* to) {
    for (std::size_t i = 0; i < n; i += 8) {
        const auto* word = static_cast<const std::byte*>(from) + i;
        code_bits::store(static_cast<std::byte*>(to) + i,
                         code_bits::load<std::uint64_t>(word) ^ 0x8080808080808080U);
    }
}

}  // namespace

// Stores of bytes could change anything, so the row is looked at before them.

void take_apart(const Encoding& encoding, const std::byte* block, int n, RowPiece& piece) {
    const BlockShape shape = encoding.shape;
    const CodeKind kind = encoding.codes;
    const int n_halves = half_count(encoding.scales);
    const std::size_t size = encoding.block_values;
    const std::size_t bytes = encoding.block_bytes;
    for (std::size_t first = 0; first < static_cast<std::size_t>(n); first += size) {
        std::uint8_t* codes = piece.codes + first;
        for (int h = 0; h < n_halves; ++h) {
            std::memcpy(&piece.halves[h][first / size], block + shape.halves[h], 2);
        }
        if (shape.scales != BlockShape::kNone) {
            std::memcpy(piece.scales + first / 16, block + shape.scales, size / 16);
        }
        const std::byte* low = block + shape.codes;
        const std::byte* high = block + shape.high;
        block += bytes;
        if (kind == CodeKind::Bits8) {
            flip_bytes(low, size, codes);
            continue;
        }
        if (size == kBlockValues) {  // a length that the compiler knows: twice as fast
            code_bits::split_low(low, kBlockValues / 2, codes);
        } else {
            for (std::size_t i = 0; i < size; i += 2 * shape.low_run) {
                code_bits::split_low(low + i / 2, shape.low_run, codes + i);
            }
        }
        if (shape.high == BlockShape::kNone) {
            continue;
        }
        if (shape.high_run == 0) {
            code_bits::split_bits(high, size, codes);
        } else {
            code_bits::split_high(high, shape.high_run, static_cast<unsigned>(high_bits(kind)),
                                  size, codes);
        }
    }
}

void put_together(const Encoding& encoding, const RowPiece& piece, int n, std::byte* block) {
    const BlockShape shape = encoding.shape;
    const CodeKind kind = encoding.codes;
    const int n_halves = half_count(encoding.scales);
    const std::size_t size = encoding.block_values;
    const std::size_t bytes = encoding.block_bytes;
    for (std::size_t first = 0; first < static_cast<std::size_t>(n); first += size) {
        const std::uint8_t* codes = piece.codes + first;
        for (int h = 0; h < n_halves; ++h) {
            std::memcpy(block + shape.halves[h], &piece.halves[h][first / size], 2);
        }
        if (shape.scales != BlockShape::kNone) {
            std::memcpy(block + shape.scales, piece.scales + first / 16, size / 16);
        }
        std::byte* low = block + shape.codes;
        std::byte* high = block + shape.high;
        block += bytes;
        if (kind == CodeKind::Bits8) {
            flip_bytes(codes, size, low);
            continue;
        }
        if (size == kBlockValues) {
            code_bits::join_low(codes, kBlockValues / 2, low);
        } else {
            for (std::size_t i = 0; i < size; i += 2 * shape.low_run) {
                code_bits::join_low(codes + i, shape.low_run, low + i / 2);
            }
        }
        if (shape.high == BlockShape::kNone) {
            continue;
        }
        if (shape.high_run == 0) {
            code_bits::join_bits(codes, size, high);
        } else {
            code_bits::join_high(codes, shape.high_run, static_cast<unsigned>(high_bits(kind)),
                                 size, high);
        }
    }
}

void decode(const Encoding& encoding, const RowPiece& piece, std::span<float> values) {
    const int zero = encoding.stored_zero();
    const std::int8_t* table = code_table(encoding.codes);
    // Codes become numbers `n` at a time under one scale.
    const auto run = [&](std::size_t first, std::size_t n, float d, int scale, auto&& number) {
        for (std::size_t i = first; i < first + n; ++i) {
            values[i] = d * static_cast<float>(scale * number(piece.codes[i]));
        }
    };
    const auto less_zero = [zero](int code) { return code - zero; };
    for (std::size_t first = 0; first < values.size(); first += kBlockValues) {
        const std::size_t block = first / encoding.block_values;
        const float d = half_to_float(piece.halves[0][block]);
        if (encoding.scales == ScaleKind::Bytes16) {
            for (std::size_t i = first; i < first + kBlockValues; i += 16) {
                run(i, 16, d, piece.scales[i / 16], less_zero);
            }
        } else if (table != nullptr) {
            run(first, kBlockValues, d, 1, [table](int code) { return table[code]; });
        } else {
            run(first, kBlockValues, d, 1, less_zero);
        }
        if (has_minimum(encoding.scales)) {
            const float minimum = half_to_float(piece.halves[1][block]);
            for (std::size_t i = first; i < first + kBlockValues; ++i) {
                values[i] += minimum;
            }
        }
    }
}

}  // namespace hearth
