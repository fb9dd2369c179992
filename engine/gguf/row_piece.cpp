#include "gguf/row_piece.h"

#include <cstring>

#include "base/half.h"

namespace hearth {
namespace {

// One block at a time: `codes` are those of the block. Bytes and numbers of the machine are both
// little-endian.

constexpr std::size_t kByteValues = 8;  // whose single high bits share a byte

// Spreads a byte's bits over eight bytes.
std::uint64_t spread(std::uint8_t bits) {
    const std::uint64_t apart = bits * 0x0101010101010101U & 0x8040201008040201U;
    return (apart + 0x00406070787C7E7FU) >> 7 & 0x0101010101010101U;
}

// Undoes spread(); each byte is 0 or 1.
std::uint8_t gather(std::uint64_t bytes) {
    return static_cast<std::uint8_t>(bytes * 0x0102040810204080U >> 56);
}

void take_bytes(const std::byte* bytes, std::size_t n, std::uint8_t* codes) {
    for (std::size_t i = 0; i < n; ++i) {
        codes[i] = static_cast<std::uint8_t>(bytes[i]) ^ 0x80U;
    }
}

void take_low(const std::byte* bytes, std::size_t run, std::size_t n, std::uint8_t* codes) {
    for (std::size_t first = 0; first < n; first += 2 * run, bytes += run) {
        for (std::size_t i = 0; i < run; ++i) {
            const auto both = static_cast<std::uint8_t>(bytes[i]);
            codes[first + i] = both & 15U;
            codes[first + run + i] = static_cast<std::uint8_t>(both >> 4);
        }
    }
}

void take_high(const std::byte* bytes, std::size_t run, unsigned bits, std::size_t n,
               std::uint8_t* codes) {
    if (run == 0) {
        for (std::size_t i = 0; i < n; i += kByteValues, ++bytes) {
            std::uint64_t eight;
            std::memcpy(&eight, codes + i, sizeof eight);
            eight |= spread(static_cast<std::uint8_t>(*bytes)) << 4;
            std::memcpy(codes + i, &eight, sizeof eight);
        }
        return;
    }
    const unsigned mask = (1U << bits) - 1;
    for (std::size_t first = 0; first < n; bytes += run) {
        for (unsigned shift = 0; shift < 8; shift += bits, first += run) {
            for (std::size_t i = 0; i < run; ++i) {
                const unsigned high = static_cast<unsigned>(bytes[i]) >> shift & mask;
                codes[first + i] = static_cast<std::uint8_t>(codes[first + i] | high << 4);
            }
        }
    }
}

void put_bytes(const std::uint8_t* codes, std::size_t n, std::byte* bytes) {
    for (std::size_t i = 0; i < n; ++i) {
        bytes[i] = static_cast<std::byte>(codes[i] ^ 0x80U);
    }
}

void put_low(const std::uint8_t* codes, std::size_t run, std::size_t n, std::byte* bytes) {
    for (std::size_t first = 0; first < n; first += 2 * run, bytes += run) {
        for (std::size_t i = 0; i < run; ++i) {
            bytes[i] =
                static_cast<std::byte>((codes[first + i] & 15U) | codes[first + run + i] << 4);
        }
    }
}

void put_high(const std::uint8_t* codes, std::size_t run, unsigned bits, std::size_t n,
              std::byte* bytes) {
    if (run == 0) {
        for (std::size_t i = 0; i < n; i += kByteValues, ++bytes) {
            std::uint64_t eight;
            std::memcpy(&eight, codes + i, sizeof eight);
            *bytes = static_cast<std::byte>(gather(eight >> 4 & 0x0101010101010101U));
        }
        return;
    }
    for (std::size_t first = 0; first < n; bytes += run) {
        std::memset(bytes, 0, run);
        for (unsigned shift = 0; shift < 8; shift += bits, first += run) {
            for (std::size_t i = 0; i < run; ++i) {
                bytes[i] |= static_cast<std::byte>(codes[first + i] >> 4 << shift);
            }
        }
    }
}

}  // namespace

void take_apart(const Encoding& encoding, const std::byte* block, int n, RowPiece& piece) {
    const BlockShape& shape = encoding.shape;
    const std::size_t size = encoding.block_values;
    std::size_t b = 0;
    for (std::size_t first = 0; first < static_cast<std::size_t>(n); first += size, ++b) {
        std::uint8_t* codes = piece.codes + first;
        std::memcpy(&piece.d[b], block + shape.d, sizeof piece.d[b]);
        if (shape.scales != BlockShape::kNone) {
            std::memcpy(piece.scales + first / 16, block + shape.scales, size / 16);
        }
        if (encoding.codes == CodeKind::Bits8) {
            take_bytes(block + shape.codes, size, codes);
        } else {
            take_low(block + shape.codes, shape.low_run, size, codes);
        }
        if (shape.high != BlockShape::kNone) {
            take_high(block + shape.high, shape.high_run,
                      static_cast<unsigned>(high_bits(encoding.codes)), size, codes);
        }
        block += encoding.block_bytes;
    }
}

void put_together(const Encoding& encoding, const RowPiece& piece, int n, std::byte* block) {
    const BlockShape& shape = encoding.shape;
    const std::size_t size = encoding.block_values;
    std::size_t b = 0;
    for (std::size_t first = 0; first < static_cast<std::size_t>(n); first += size, ++b) {
        const std::uint8_t* codes = piece.codes + first;
        std::memcpy(block + shape.d, &piece.d[b], sizeof piece.d[b]);
        if (shape.scales != BlockShape::kNone) {
            std::memcpy(block + shape.scales, piece.scales + first / 16, size / 16);
        }
        if (encoding.codes == CodeKind::Bits8) {
            put_bytes(codes, size, block + shape.codes);
        } else {
            put_low(codes, shape.low_run, size, block + shape.codes);
        }
        if (shape.high != BlockShape::kNone) {
            put_high(codes, shape.high_run, static_cast<unsigned>(high_bits(encoding.codes)), size,
                     block + shape.high);
        }
        block += encoding.block_bytes;
    }
}

void decode(const Encoding& encoding, const RowPiece& piece, std::span<float> values) {
    constexpr std::size_t kRun = 16;  // values of one scale
    const int zero = encoding.stored_zero();
    for (std::size_t first = 0; first < values.size(); first += kRun) {
        const float d = half_to_float(piece.d[first / encoding.block_values]);
        int scale = 1;
        switch (encoding.scales) {
            case ScaleKind::None:
            case ScaleKind::Half:
                break;
            case ScaleKind::Bytes16:
                scale = piece.scales[first / kRun];
                break;
        }
        for (std::size_t i = first; i < first + kRun; ++i) {
            values[i] = d * static_cast<float>(scale * (piece.codes[i] - zero));
        }
    }
}

}  // namespace hearth
