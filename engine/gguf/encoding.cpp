#include "gguf/encoding.h"

#include <array>

#include "base/assert.h"

namespace hearth {
namespace {

constexpr std::uint8_t layouts(auto... each) {
    return static_cast<std::uint8_t>((static_cast<unsigned>(each) | ...));
}

constexpr std::uint8_t kAll = layouts(Layout::Tile, Layout::NeuronRow, Layout::InputColumn,
                                      Layout::GpuMatrix, Layout::GpuRow);
constexpr std::uint8_t kRows =
    layouts(Layout::Tile, Layout::NeuronRow, Layout::GpuMatrix, Layout::GpuRow);
constexpr std::uint8_t kTiles = layouts(Layout::Tile, Layout::GpuMatrix);

// clang-format off
constexpr std::array kEncodings{
    Encoding{DType::F32,  CodeKind::F32,   ScaleKind::None,     0, kRows},
    Encoding{DType::F16,  CodeKind::F16,   ScaleKind::None,     0, kRows},
    Encoding{DType::BF16, CodeKind::BF16,  ScaleKind::None,     0, kRows},
    Encoding{DType::Q8_0, CodeKind::Bits8, ScaleKind::Half,     0, kAll},
    Encoding{DType::Q4_0, CodeKind::Bits4, ScaleKind::Half,     8, kAll},
    Encoding{DType::Q5_0, CodeKind::Bits5, ScaleKind::Half,    16, kTiles},
    Encoding{DType::Q6_K, CodeKind::Bits6, ScaleKind::Bytes16, 32, kTiles},
};
// clang-format on

}  // namespace

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

}  // namespace hearth
