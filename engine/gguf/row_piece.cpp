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

// The scales of a block: of RowPiece those of its own values.
void take_scales(const Encoding& encoding, const std::byte* q, std::int8_t* scales) {
    const auto at = [q](std::size_t i) { return static_cast<unsigned>(q[i]); };
    if (encoding.scales == ScaleKind::Bytes16) {
        std::memcpy(scales, q, encoding.block_values / std::size_t{16});
    } else if (encoding.scales == ScaleKind::Power) {
        scales[0] = static_cast<std::int8_t>(q[0]);
    } else if (encoding.scales == ScaleKind::SixMin) {
        for (std::size_t i = 0; i < 4; ++i) {
            scales[2 * i] = static_cast<std::int8_t>(at(i) & 63U);
            scales[2 * i + 1] = static_cast<std::int8_t>(at(4 + i) & 63U);
            scales[8 + 2 * i] = static_cast<std::int8_t>((at(8 + i) & 15U) | at(i) >> 6 << 4);
            scales[8 + 2 * i + 1] = static_cast<std::int8_t>(at(8 + i) >> 4 | at(4 + i) >> 6 << 4);
        }
    } else if (encoding.scales == ScaleKind::Six) {
        const unsigned high = at(0) | at(1) << 8;
        for (std::size_t i = 0; i < 8; ++i) {
            const unsigned low = at(2 + i / 2) >> 4 * (i % 2) & 15U;
            const unsigned code = low | (high >> 2 * i & 3U) << 4;
            scales[2 * i] =
                static_cast<std::int8_t>(static_cast<int>(code) - six_zero(encoding.scales));
        }
    }
}

void put_scales(const Encoding& encoding, const std::int8_t* scales, std::byte* q) {
    const auto code = [&](std::size_t i) {
        return static_cast<unsigned>(scales[i] + six_zero(encoding.scales));
    };
    if (encoding.scales == ScaleKind::Bytes16) {
        std::memcpy(q, scales, encoding.block_values / std::size_t{16});
    } else if (encoding.scales == ScaleKind::Power) {
        q[0] = static_cast<std::byte>(scales[0]);
    } else if (encoding.scales == ScaleKind::SixMin) {
        for (std::size_t i = 0; i < 4; ++i) {
            const unsigned scale = code(8 + 2 * i);
            const unsigned minimum = code(8 + 2 * i + 1);
            q[i] = static_cast<std::byte>(code(2 * i) | scale >> 4 << 6);
            q[4 + i] = static_cast<std::byte>(code(2 * i + 1) | minimum >> 4 << 6);
            q[8 + i] = static_cast<std::byte>((scale & 15U) | (minimum & 15U) << 4);
        }
    } else if (encoding.scales == ScaleKind::Six) {
        unsigned high = 0;
        for (std::size_t i = 0; i < 8; ++i) {
            high |= code(2 * i) >> 4 << 2 * i;
        }
        q[0] = static_cast<std::byte>(high & 255U);
        q[1] = static_cast<std::byte>(high >> 8);
        for (std::size_t i = 0; i < 4; ++i) {
            q[2 + i] = static_cast<std::byte>((code(4 * i) & 15U) | (code(4 * i + 2) & 15U) << 4);
        }
    }
}

// A minimum that a file subtracts is one that is added.
std::uint16_t turned(const Encoding& encoding, int half, std::uint16_t value) {
    const bool other_sign = half == 1 && encoding.scales == ScaleKind::SixMin;
    return static_cast<std::uint16_t>(value ^ (other_sign ? 0x8000U : 0U));
}

// Halves and scales of blocks. Stores of bytes could change anything, so the rest of a row is
// looked at before them.
void take_scales_apart(const Encoding& encoding, const std::byte* block, int n, RowPiece& piece) {
    const BlockShape shape = encoding.shape;
    const int n_halves = half_count(encoding.scales);
    const std::size_t size = encoding.block_values;
    const std::size_t bytes = encoding.block_bytes;
    std::size_t b = 0;
    for (std::size_t first = 0; first < static_cast<std::size_t>(n); first += size, ++b) {
        for (int h = 0; h < n_halves; ++h) {
            piece.halves[h][b] =
                turned(encoding, h, code_bits::load<std::uint16_t>(block + shape.halves[h]));
        }
        if (shape.scales != BlockShape::kNone) {
            take_scales(encoding, block + shape.scales, piece.scales + first / 16);
        }
        block += bytes;
    }
}

}  // namespace

void take_apart(const Encoding& encoding, const std::byte* block, int n, RowPiece& piece) {
    take_scales_apart(encoding, block, n, piece);
    const BlockShape shape = encoding.shape;
    const CodeKind kind = encoding.codes;
    const std::size_t size = encoding.block_values;
    const std::size_t bytes = encoding.block_bytes;
    for (std::size_t first = 0; first < static_cast<std::size_t>(n); first += size) {
        std::uint8_t* codes = piece.codes + first;
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
            for (std::size_t i = 0; i < size; i += std::size_t{2} * shape.low_run) {
                code_bits::split_low(low + i / 2, shape.low_run, codes + i);
            }
        }
        if (high_bits(kind) == 0) {
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
            code_bits::store(block + shape.halves[h],
                             turned(encoding, h, piece.halves[h][first / size]));
        }
        if (shape.scales != BlockShape::kNone) {
            put_scales(encoding, piece.scales + first / 16, block + shape.scales);
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
            for (std::size_t i = 0; i < size; i += std::size_t{2} * shape.low_run) {
                code_bits::join_low(codes + i, shape.low_run, low + i / 2);
            }
        }
        if (high_bits(kind) == 0) {
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
        const bool six = has_six_bits(encoding.scales);
        const int scale = six ? piece.scales[first / 16] : 1;
        const float d = encoding.scales == ScaleKind::Power
                            ? power_of(static_cast<std::byte>(piece.scales[first / 16]))
                            : half_to_float(piece.halves[0][block]);
        if (encoding.scales == ScaleKind::Bytes16) {
            for (std::size_t i = first; i < first + kBlockValues; i += 16) {
                run(i, 16, d, piece.scales[i / 16], less_zero);
            }
        } else if (table != nullptr) {
            run(first, kBlockValues, d, scale, [table](int code) { return table[code]; });
        } else {
            run(first, kBlockValues, d, scale, less_zero);
        }
        if (has_minimum(encoding.scales)) {
            const float minimum = half_to_float(piece.halves[1][block]) *
                                  static_cast<float>(six ? piece.scales[first / 16 + 1] : 1);
            for (std::size_t i = first; i < first + kBlockValues; ++i) {
                values[i] += minimum;
            }
        }
    }
}

}  // namespace hearth
