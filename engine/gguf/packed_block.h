// Blocks of 256 values that every unit holds as a file packs them (CodeKind::Packed), taken apart.
// No function is defined here: kernels of every instruction set include this.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gguf/code_kinds.h"

namespace hearth {

inline constexpr int kPackedZero = 64;  // what is added to codes, so that they have no sign

// The factors of a block's codes: value i = d * scales[i / 16] * (codes[i] -
// kPackedZero) - minimum * minima[i / 16], exact but for the difference.
struct PackedScales {
    float d;        // a half of the file times a power of two
    float minimum;  // 0 but of Bits2
    std::int8_t scales[16];
    std::int8_t minima[16];
};

// block: one of the file, no alignment asked. Codes are bytes from 2 to 126; four of them, of
// values 4 g to 4 g + 3, are written to codes + g * step.
void take_packed_apart(Packing packing, const std::byte* block, std::uint8_t* codes,
                       std::size_t step, PackedScales& scales);

// The patterns that blocks name, as gguf/grids.h has them: n_words words, 0 where they name none.
const std::uint32_t* packed_patterns(Packing packing, std::size_t& n_words);

// The same as bytes, each plus kPackedZero: eight values a pattern, or four. Null: no such
// patterns, or ternary ones.
const std::uint64_t* patterns_of_eight(Packing packing);
const std::uint32_t* patterns_of_four(Packing packing);
// As words for vectors: two bits of value 2 k + j of eight stand from bit 8 j + 2 k on, three bits
// of value 2 k + j of four from bit 8 j + 4 k on. Null: likewise.
const std::uint16_t* patterns_in_pairs(Packing packing);

// The half of a block of Ternary16, which lies in four places.
std::uint16_t half_of_ternary(const std::byte* block);

}  // namespace hearth
