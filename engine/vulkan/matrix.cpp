#include "vulkan/matrix.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/assert.h"
#include "gguf/blocks.h"
#include "gguf/rows.h"
#include "include/params.h"

namespace hearth::vulkan {
namespace {

constexpr std::uint64_t words_of(std::uint64_t bytes) {
    return (bytes + 3) / 4 * 4;
}
constexpr std::uint64_t aligned(std::uint64_t bytes) {
    return (bytes + 15) / 16 * 16;
}

// Values 32 j to 32 j + 31 of a Q6_K superblock: nibbles in the order of Q4_0, then two bits each.
void take_q6(const BlockQ6_K& block, int j, std::uint8_t* nibbles, std::uint8_t* high) {
    const int half = j / 4;
    const int quarter = j % 4;
    std::array<std::uint8_t, 32> low{};
    std::array<std::uint8_t, 32> top{};
    for (int i = 0; i < 32; ++i) {
        const std::uint8_t pair = block.ql[64 * half + 32 * (quarter % 2) + i];
        low[static_cast<std::size_t>(i)] =
            static_cast<std::uint8_t>(quarter < 2 ? pair & 0xF : pair >> 4);
        top[static_cast<std::size_t>(i)] =
            static_cast<std::uint8_t>((block.qh[32 * half + i] >> (2 * quarter)) & 3);
    }
    for (std::size_t i = 0; i < 16; ++i) {
        nibbles[i] = static_cast<std::uint8_t>(low[i] | (low[i + 16] << 4));
    }
    for (std::size_t i = 0; i < 8; ++i) {
        high[i] = static_cast<std::uint8_t>(top[4 * i] | (top[4 * i + 1] << 2) |
                                            (top[4 * i + 2] << 4) | (top[4 * i + 3] << 6));
    }
}

}  // namespace

bool is_quantized(DType type) {
    return type == DType::Q8_0 || type == DType::Q4_0 || type == DType::Q5_0 || type == DType::Q6_K;
}

bool has_matrix_form(DType type) {
    return is_quantized(type) || type == DType::F32 || type == DType::F16 || type == DType::BF16;
}

bool has_row_form(DType type) {
    return has_matrix_form(type) && type != DType::Q5_0 && type != DType::Q6_K;
}

MatrixLayout::MatrixLayout(DType of, std::uint64_t n_rows, std::uint64_t cols)
    : type(of), rows(n_rows), blocks(cols / kBlockColumns) {
    HEARTH_ASSERT(has_matrix_form(type) && cols % kBlockColumns == 0 &&
                  (type != DType::Q6_K || cols % kSuperBlockValues == 0));
    switch (type) {
        case DType::F32:
            quads.row_bytes = blocks * 128;
            break;
        case DType::F16:
        case DType::BF16:
            quads.row_bytes = blocks * 64;
            break;
        case DType::Q8_0:
            quads.row_bytes = blocks * 32;
            scales.row_bytes = words_of(blocks * 2);
            break;
        case DType::Q5_0:
            high.row_bytes = blocks * 4;
            [[fallthrough]];
        case DType::Q4_0:
            quads.row_bytes = blocks * 16;
            scales.row_bytes = words_of(blocks * 2);
            break;
        default:  // Q6_K
            quads.row_bytes = blocks * 16;
            high.row_bytes = blocks * 8;
            scales.row_bytes = words_of(blocks * 2);
            supers.row_bytes = words_of(blocks / 8 * 2);
            break;
    }
    for (Run* run : {&quads, &high, &scales, &supers}) {
        run->at = bytes;
        bytes += aligned(rows * run->row_bytes);
    }
}

params::MatrixParams MatrixLayout::params() const {
    return {static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(blocks),
            static_cast<std::uint32_t>(high.at / 4), static_cast<std::uint32_t>(scales.at / 4),
            static_cast<std::uint32_t>(supers.at / 4)};
}

void take_apart(const MatrixLayout& layout, const std::byte* file_row, std::uint64_t first_block,
                const RowPlaces& to) {
    const auto fill = [](std::byte* place, const MatrixLayout::Run& run) {
        if (run.row_bytes > 0) {
            std::memset(place, 0, run.row_bytes);
        }
    };
    fill(to.scales, layout.scales);
    fill(to.supers, layout.supers);
    const auto put = [](std::byte* run, std::uint64_t at, const void* from, std::size_t bytes) {
        std::memcpy(run + at, from, bytes);
    };
    for (std::uint64_t b = 0; b < layout.blocks; ++b) {
        const std::uint64_t block = first_block + b;
        switch (layout.type) {
            case DType::Q8_0: {
                BlockQ8_0 from;
                std::memcpy(&from, file_row + block * sizeof from, sizeof from);
                put(to.quads, b * 32, from.qs, 32);
                put(to.scales, b * 2, &from.d, 2);
                break;
            }
            case DType::Q4_0: {
                BlockQ4_0 from;
                std::memcpy(&from, file_row + block * sizeof from, sizeof from);
                put(to.quads, b * 16, from.qs, 16);
                put(to.scales, b * 2, &from.d, 2);
                break;
            }
            case DType::Q5_0: {
                BlockQ5_0 from;
                std::memcpy(&from, file_row + block * sizeof from, sizeof from);
                put(to.quads, b * 16, from.qs, 16);
                put(to.high, b * 4, from.qh, 4);
                put(to.scales, b * 2, &from.d, 2);
                break;
            }
            case DType::Q6_K: {
                BlockQ6_K from;
                std::memcpy(&from, file_row + block / 8 * sizeof from, sizeof from);
                const auto j = static_cast<int>(block % 8);
                std::array<std::uint8_t, 16> nibbles{};
                std::array<std::uint8_t, 8> high{};
                take_q6(from, j, nibbles.data(), high.data());
                put(to.quads, b * 16, nibbles.data(), 16);
                put(to.high, b * 8, high.data(), 8);
                put(to.scales, b * 2, from.scales + 2 * j, 2);
                put(to.supers, b / 8 * 2, &from.d, 2);
                break;
            }
            default: {
                const std::uint64_t size = layout.quads.row_bytes / layout.blocks;
                put(to.quads, b * size, file_row + block * size, size);
                break;
            }
        }
    }
}

std::uint64_t GpuMatrix::bytes() const {
    std::uint64_t sum = 0;
    for (const Slice& slice : slices) {
        sum += slice.layout.bytes;
    }
    return sum;
}

GpuMatrix plan_matrix(DType type, std::uint64_t rows, std::uint64_t cols, std::uint64_t unit,
                      std::uint64_t range_bytes_max) {
    GpuMatrix matrix;
    matrix.type = type;
    matrix.rows = rows;
    matrix.cols = cols;
    const std::uint64_t unit_bytes = MatrixLayout(type, unit, cols).bytes;
    const std::uint64_t most =
        std::max<std::uint64_t>(1, range_bytes_max / std::max<std::uint64_t>(unit_bytes, 1)) * unit;
    for (std::uint64_t first = 0; first < rows; first += most) {
        matrix.slices.push_back(
            {MatrixLayout(type, std::min(most, rows - first), cols), first, {}});
    }
    return matrix;
}

}  // namespace hearth::vulkan
