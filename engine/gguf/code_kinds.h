// The kinds of numbers that weights are made of. Kernels and shaders exist per kind;
// gguf/encoding.h says which weight type has which.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace hearth {

// What a block holds for each value, before scales.
enum class CodeKind : std::uint8_t {
    F32,
    F16,
    BF16,
    Bits8,    // signed bytes
    Bits4,    // unsigned, below 16
    Bits5,    // four low bits, and one high bit that lies apart
    Bits6,    // four low bits, and two high bits that lie apart
    Table16,  // four bits: which of 16 numbers
    Float4,   // four bits: a float of one bit of mantissa and two of exponent, times two
    Packed,   // a block as the file has it; signed bytes where one is taken apart (packed_block.h)
};
inline constexpr int kCodeKinds = static_cast<int>(CodeKind::Packed) + 1;

// What a block's codes are multiplied with, and what is added.
enum class ScaleKind : std::uint8_t {
    None,     // floats
    Half,     // one f16 for 32 values
    Bytes16,  // a signed byte for 16 values, times one f16 for 256
    HalfMin,  // one f16 for 32 values, and one that is added to them
    Six,      // a signed number of 6 bits for 32 values, times one f16 for 256
    SixMin,   // the same without a sign, and another one, times a second f16, that is subtracted
    Power,    // a power of two for 32 values
    Packed,   // within a packed block: a whole number for 16 values, times one float for 256
};
inline constexpr int kScaleKinds = static_cast<int>(ScaleKind::Packed) + 1;

// How CodeKind::Packed packs 256 values: plain codes, or numbers of patterns (gguf/grids.h).
enum class Packing : std::uint8_t {
    None,
    Bits2,  // and a minimum for 16 values
    Bits3,
    Eights256,  // one of 256 patterns for eight values, seven of which have a sign of their own
    Eights512,
    Eights1024,  // all eight signs
    Fours256,
    Fours512,
    Ternary32,  // patterns of -1, 0 and 1, moved by an eighth up or down: 32 values alike
    Ternary16,  // 16 values have a scale, 8 a direction
};
inline constexpr int kPackings = static_cast<int>(Packing::Ternary16) + 1;

// Kinds of quantised codes and of scales that types have together.
struct CodesAndScales {
    CodeKind codes;
    ScaleKind scales;
};
inline constexpr CodesAndScales kQuantized[] = {
    {CodeKind::Bits8, ScaleKind::Half},    {CodeKind::Bits4, ScaleKind::Half},
    {CodeKind::Bits5, ScaleKind::Half},    {CodeKind::Bits6, ScaleKind::Bytes16},
    {CodeKind::Table16, ScaleKind::Half},  {CodeKind::Bits4, ScaleKind::HalfMin},
    {CodeKind::Bits5, ScaleKind::HalfMin}, {CodeKind::Bits4, ScaleKind::SixMin},
    {CodeKind::Bits5, ScaleKind::SixMin},  {CodeKind::Table16, ScaleKind::Six},
    {CodeKind::Float4, ScaleKind::Power},
};

constexpr bool is_float(CodeKind kind) {
    return kind == CodeKind::F32 || kind == CodeKind::F16 || kind == CodeKind::BF16;
}

// The 16 signed bytes that codes stand for, where they are no numbers themselves; else null.
inline constexpr std::int8_t kTable16[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                             1,    13,   25,  38,  53,  69,  89,  113};
inline constexpr std::int8_t kFloat4[16] = {0, 1,  2,  3,  4,  6,  8,  12,
                                            0, -1, -2, -3, -4, -6, -8, -12};
constexpr bool has_code_table(CodeKind kind) {
    return kind == CodeKind::Table16 || kind == CodeKind::Float4;
}
constexpr const std::int8_t* code_table(CodeKind kind) {
    return kind == CodeKind::Table16 ? kTable16 : kind == CodeKind::Float4 ? kFloat4 : nullptr;
}

constexpr bool has_minimum(ScaleKind kind) {
    return kind == ScaleKind::HalfMin || kind == ScaleKind::SixMin;
}
// 32 values have scales of 6 bits.
constexpr bool has_six_bits(ScaleKind kind) {
    return kind == ScaleKind::Six || kind == ScaleKind::SixMin;
}
// This much a stored scale of 6 bits stands above its number.
constexpr int six_zero(ScaleKind kind) {
    return kind == ScaleKind::Six ? 32 : 0;
}
// A scale of ScaleKind::Power. A file's exponent stands 127 above the power of two, and its codes
// are multiplied as twice their numbers, so that these are whole.
inline float power_of(std::byte exponent) {
    return std::ldexp(1.0F, static_cast<int>(exponent) - 128);
}
// The largest exponent whose products are finite.
inline constexpr std::byte kMostPower{252};
// Numbers in f16 that a block has: what its codes are multiplied with, and its minimum.
constexpr int half_count(ScaleKind kind) {
    return kind == ScaleKind::None || kind == ScaleKind::Power || kind == ScaleKind::Packed ? 0
           : has_minimum(kind)                                                              ? 2
                                                                                            : 1;
}

// Bits of a code, or of a float, that lie together, and of quantised codes those that lie apart.
constexpr int low_bits(CodeKind kind) {
    return kind == CodeKind::F32 ? 32 : is_float(kind) ? 16 : kind == CodeKind::Bits8 ? 8 : 4;
}
constexpr int high_bits(CodeKind kind) {
    return kind == CodeKind::Bits5 ? 1 : kind == CodeKind::Bits6 ? 2 : 0;
}

// What the processor's layouts add to a code, so that all that is stored is unsigned: the integer
// dot instructions multiply unsigned by signed.
constexpr int stored_offset(CodeKind kind) {
    return kind == CodeKind::Bits8 ? 128 : 0;
}

// What the processor multiplies with: unsigned codes up to most_unpacked() that stand
// unpacked_zero() above the numbers.
constexpr bool is_byte_unpacked(CodeKind codes) {
    return codes == CodeKind::Bits8 || codes == CodeKind::Table16;
}
constexpr int most_unpacked(CodeKind codes) {
    constexpr int kFloat4Zero = 16;  // a power of two not below any of its numbers
    return is_byte_unpacked(codes)     ? 255
           : codes == CodeKind::Float4 ? kFloat4Zero + kFloat4[7]
                                       : (16 << high_bits(codes)) - 1;
}
constexpr int unpacked_zero(CodeKind codes, ScaleKind scales) {
    return is_byte_unpacked(codes)     ? 128
           : codes == CodeKind::Float4 ? 16
           : has_minimum(scales)       ? 0
                                       : 8 << high_bits(codes);
}

}  // namespace hearth
