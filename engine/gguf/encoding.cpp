#include "gguf/encoding.h"

#include <array>

#include "base/assert.h"
#include "gguf/blocks.h"

namespace hearth {
namespace {

constexpr std::uint8_t layouts(auto... each) {
    return static_cast<std::uint8_t>((static_cast<unsigned>(each) | ...));
}

constexpr std::uint8_t kAll = layouts(Layout::Tile, Layout::NeuronRow, Layout::InputColumn,
                                      Layout::GpuMatrix, Layout::GpuRow);
constexpr std::uint8_t kRows =
    layouts(Layout::Tile, Layout::NeuronRow, Layout::GpuMatrix, Layout::GpuRow);

constexpr std::uint8_t kWhole = layouts(Layout::Tile, Layout::GpuMatrix, Layout::GpuRow);

constexpr BlockShape kFloat{};
constexpr BlockShape kQ8_0{.halves = {offsetof(BlockQ8_0, d)}, .codes = offsetof(BlockQ8_0, qs)};
constexpr BlockShape kQ4_0{
    .halves = {offsetof(BlockQ4_0, d)}, .codes = offsetof(BlockQ4_0, qs), .low_run = 16};
constexpr BlockShape kQ4_1{.halves = {0, 2}, .codes = 4, .low_run = 16};
constexpr BlockShape kQ5_0{.halves = {offsetof(BlockQ5_0, d)},
                           .codes = offsetof(BlockQ5_0, qs),
                           .low_run = 16,
                           .high = offsetof(BlockQ5_0, qh)};
constexpr BlockShape kQ5_1{.halves = {0, 2}, .codes = 8, .low_run = 16, .high = 4};
constexpr BlockShape kQ6_K{.halves = {offsetof(BlockQ6_K, d)},
                           .scales = offsetof(BlockQ6_K, scales),
                           .codes = offsetof(BlockQ6_K, ql),
                           .low_run = 64,
                           .high = offsetof(BlockQ6_K, qh),
                           .high_run = 32};
constexpr BlockShape kQ4_K{.halves = {0, 2}, .scales = 4, .codes = 16, .low_run = 32};
constexpr BlockShape kQ5_K{
    .halves = {0, 2}, .scales = 4, .codes = 48, .low_run = 32, .high = 16, .high_run = 32};
constexpr BlockShape kIQ4_XS{.halves = {0}, .scales = 2, .codes = 8, .low_run = 16};
constexpr BlockShape kMXFP4{.scales = 0, .codes = 1, .low_run = 16};

// Packed blocks: packed_block.cpp knows the rest.
constexpr BlockShape kQ2_K{.halves = {80, 82}};
constexpr BlockShape kQ3_K{.halves = {108}};
constexpr BlockShape kGrid{.halves = {0}};
constexpr BlockShape kIQ1_M{};

// Types that are not written are read, but fit() lacks the search that would make them worth
// having.
// clang-format off
constexpr std::array kEncodings{
    //       type         block     codes            scales            zero layouts shape   written file_type
    Encoding{DType::F32,    1,   4, CodeKind::F32,   ScaleKind::None,     0, kRows,  kFloat, true,   0},
    Encoding{DType::F16,    1,   2, CodeKind::F16,   ScaleKind::None,     0, kRows,  kFloat, true,   1},
    Encoding{DType::BF16,   1,   2, CodeKind::BF16,  ScaleKind::None,     0, kRows,  kFloat, true,  32},
    Encoding{DType::Q8_0,  32,  34, CodeKind::Bits8, ScaleKind::Half,     0, kAll,   kQ8_0,  true,   7},
    Encoding{DType::Q4_0,  32,  18, CodeKind::Bits4, ScaleKind::Half,     8, kAll,   kQ4_0,  true,   2},
    Encoding{DType::Q5_0,  32,  22, CodeKind::Bits5, ScaleKind::Half,    16, kAll,   kQ5_0,  false,  8},
    Encoding{DType::Q6_K, 256, 210, CodeKind::Bits6, ScaleKind::Bytes16, 32, kRows,  kQ6_K,  false, 18},
    Encoding{DType::IQ4_NL, 32, 18, CodeKind::Table16, ScaleKind::Half,   0, kAll,   kQ4_0,  false, 25},
    Encoding{DType::Q4_1,  32,  20, CodeKind::Bits4, ScaleKind::HalfMin,  0, kRows,  kQ4_1,  false,  3},
    Encoding{DType::Q5_1,  32,  24, CodeKind::Bits5, ScaleKind::HalfMin,  0, kRows,  kQ5_1,  false,  9},
    Encoding{DType::Q4_K, 256, 144, CodeKind::Bits4, ScaleKind::SixMin,   0, kRows,  kQ4_K,  false, 15},
    Encoding{DType::Q5_K, 256, 176, CodeKind::Bits5, ScaleKind::SixMin,   0, kRows,  kQ5_K,  false, 17},
    Encoding{DType::IQ4_XS, 256, 136, CodeKind::Table16, ScaleKind::Six,  0, kRows,  kIQ4_XS, false, 30},
    Encoding{DType::MXFP4, 32,  17, CodeKind::Float4, ScaleKind::Power,   0, kRows,  kMXFP4, false, 38},
    Encoding{DType::Q2_K, 256, 84, CodeKind::Packed, ScaleKind::Packed, 0, kWhole, kQ2_K, false, 10, Packing::Bits2},
    Encoding{DType::Q3_K, 256, 110, CodeKind::Packed, ScaleKind::Packed, 0, kWhole, kQ3_K, false, 12, Packing::Bits3},
    Encoding{DType::IQ2_XXS, 256, 66, CodeKind::Packed, ScaleKind::Packed, 0, kWhole, kGrid, false, 19, Packing::Eights256},
    Encoding{DType::IQ2_XS, 256, 74, CodeKind::Packed, ScaleKind::Packed, 0, kWhole, kGrid, false, 20, Packing::Eights512},
    Encoding{DType::IQ2_S, 256, 82, CodeKind::Packed, ScaleKind::Packed, 0, kWhole, kGrid, false, 28, Packing::Eights1024},
    Encoding{DType::IQ3_XXS, 256, 98, CodeKind::Packed, ScaleKind::Packed, 0, kWhole, kGrid, false, 23, Packing::Fours256},
    Encoding{DType::IQ3_S, 256, 110, CodeKind::Packed, ScaleKind::Packed, 0, kWhole, kGrid, false, 26, Packing::Fours512},
    Encoding{DType::IQ1_S, 256, 50, CodeKind::Packed, ScaleKind::Packed, 0, kWhole, kGrid, false, 24, Packing::Ternary32},
    Encoding{DType::IQ1_M, 256, 56, CodeKind::Packed, ScaleKind::Packed, 0, kWhole, kIQ1_M, false, 31, Packing::Ternary16},
};
// clang-format on

}  // namespace

std::span<const Encoding> encodings() {
    return kEncodings;
}

const Encoding* find_encoding(DType type) {
    for (const Encoding& row : kEncodings) {
        if (row.type == type) {
            return &row;
        }
    }
    return nullptr;
}

const Encoding& encoding_of(DType type) {
    const Encoding* row = find_encoding(type);
    HEARTH_ASSERT(row != nullptr);
    return *row;
}

std::string encoding_names(bool (*wanted)(const Encoding&)) {
    std::string names;
    std::string_view last;
    for (const Encoding& row : kEncodings) {
        if (wanted(row)) {
            if (!last.empty()) {
                names += (names.empty() ? "" : ", ");
                names += last;
            }
            last = dtype_info(row.type).name;
        }
    }
    return (names.empty() ? "" : names + " and ") + std::string(last);
}

}  // namespace hearth
