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

std::uint32_t load_u32(const void* p) {
    std::uint32_t value;
    std::memcpy(&value, p, sizeof value);
    return value;
}

// Values 32 j to 32 j + 31 of a Q6_K superblock: nibbles in the order of Q4_0, then two bits each.
void take_q6(const BlockQ6_K& block, int j, std::byte* nibbles, std::byte* high) {
    const int half = j / 4;
    const int quarter = j % 4;
    const std::uint8_t* low = block.ql + 64 * half + 32 * (quarter % 2);
    for (int i = 0; i < 16; i += 4) {
        const auto codes = [&](int at) {
            return load_u32(low + at) >> (quarter < 2 ? 0 : 4) & 0x0F0F0F0FU;
        };
        const std::uint32_t both = codes(i) | codes(i + 16) << 4;
        std::memcpy(nibbles + i, &both, sizeof both);
    }
    for (int i = 0; i < 8; ++i) {
        // The pairs of four bytes, side by side in one.
        const std::uint32_t pairs = load_u32(block.qh + 32 * half + 4 * i) >> 2 * quarter;
        const std::uint32_t spread = pairs & 0x03030303U;
        high[i] = static_cast<std::byte>(spread | spread >> 6 | spread >> 12 | spread >> 18);
    }
}

// `Block`: a scale and its values' low bits.
template <class Block>
void take_blocks(std::uint64_t blocks, const std::byte* from, const RowPlaces& to) {
    for (std::uint64_t b = 0; b < blocks; ++b, from += sizeof(Block)) {
        std::memcpy(to.quads + b * sizeof Block::qs, from + offsetof(Block, qs), sizeof Block::qs);
        std::memcpy(to.scales + b * 2, from + offsetof(Block, d), 2);
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
    // What padding there is lies at the end.
    const auto pad = [](std::byte* place, const MatrixLayout::Run& run, std::uint64_t used) {
        if (run.row_bytes > used) {
            std::memset(place + used, 0, run.row_bytes - used);
        }
    };
    pad(to.scales, layout.scales, layout.blocks * 2);
    pad(to.supers, layout.supers, layout.blocks / 8 * 2);
    const auto blocks_at = [&](std::size_t size) { return file_row + first_block * size; };
    switch (layout.type) {
        case DType::Q8_0:
            return take_blocks<BlockQ8_0>(layout.blocks, blocks_at(sizeof(BlockQ8_0)), to);
        case DType::Q4_0:
            return take_blocks<BlockQ4_0>(layout.blocks, blocks_at(sizeof(BlockQ4_0)), to);
        case DType::Q5_0: {
            const std::byte* from = blocks_at(sizeof(BlockQ5_0));
            take_blocks<BlockQ5_0>(layout.blocks, from, to);
            for (std::uint64_t b = 0; b < layout.blocks; ++b) {
                std::memcpy(to.high + b * 4, from + b * sizeof(BlockQ5_0) + offsetof(BlockQ5_0, qh),
                            4);
            }
            return;
        }
        case DType::Q6_K:
            for (std::uint64_t b = 0; b < layout.blocks; ++b) {
                BlockQ6_K from;
                std::memcpy(&from, file_row + (first_block + b) / 8 * sizeof from, sizeof from);
                const auto j = static_cast<int>((first_block + b) % 8);
                take_q6(from, j, to.quads + b * 16, to.high + b * 8);
                std::memcpy(to.scales + b * 2, from.scales + 2 * j, 2);
                std::memcpy(to.supers + b / 8 * 2, &from.d, 2);
            }
            return;
        default: {
            const std::uint64_t size = layout.quads.row_bytes / layout.blocks;
            std::memcpy(to.quads, file_row + first_block * size, layout.quads.row_bytes);
            return;
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

std::uint64_t GpuMatrix::row_bytes() const {
    if (slices.empty()) {
        return 0;
    }
    const MatrixLayout& layout = slices.front().layout;
    return layout.quads.row_bytes + layout.high.row_bytes + layout.scales.row_bytes +
           layout.supers.row_bytes;
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
