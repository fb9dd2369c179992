// Up to 256 values of a quantised row, taken apart: what decoding, quantising and the layouts of
// the units have in common. Only take_apart() and put_together() know how a file interleaves them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gguf/blocks.h"
#include "gguf/encoding.h"

namespace hearth {

struct RowPiece {
    static constexpr int kValues = kSuperBlockValues;

    std::uint8_t codes[kValues];  // unsigned: plus stored_offset() of their kind
    // f16, one of each for each block. The second is added: of SixMin it has the other sign than in
    // a file.
    std::uint16_t halves[2][kValues / kBlockValues];
    // Bytes16: of each 16 values. Else two of each 32: Six has its scale in the first, SixMin scale
    // and minimum, Power the exponent of power_of().
    std::int8_t scales[kValues / 16];
};

// Values to the end of the row, or to that of its next piece.
constexpr int piece_values(std::uint64_t left) {
    return left < RowPiece::kValues ? static_cast<int>(left) : RowPiece::kValues;
}

// block: the bytes of n values, whole blocks of a quantised type. What the piece has beyond n
// values, or of parts that the type has not, stays as it is.
void take_apart(const Encoding& encoding, const std::byte* block, int n, RowPiece& piece);

// Undoes take_apart().
void put_together(const Encoding& encoding, const RowPiece& piece, int n, std::byte* block);

// The values that n codes stand for: the definition of every quantised type.
void decode(const Encoding& encoding, const RowPiece& piece, std::span<float> values);

}  // namespace hearth
