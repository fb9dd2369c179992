#include "vulkan/matrix.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "base/assert.h"
#include "gguf/blocks.h"
#include "gguf/encoding.h"
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

// Copies a part of each of n blocks, `size` bytes every `stride`, to one run.
void gather(const std::byte* from, std::size_t stride, std::uint64_t n, std::size_t size,
            std::byte* to) {
    const auto copy = [&](auto each) {
        for (std::uint64_t b = 0; b < n; ++b) {
            std::memcpy(to + b * each, from + b * stride, each);
        }
    };
    if (size == stride) {
        std::memcpy(to, from, n * size);
        return;
    }
    // A size that the compiler knows is an instruction or two.
    switch (size) {
        case 0:
            return;
        case 2:
            return copy(std::integral_constant<std::size_t, 2>());
        case 4:
            return copy(std::integral_constant<std::size_t, 4>());
        case 16:
            return copy(std::integral_constant<std::size_t, 16>());
        case 32:
            return copy(std::integral_constant<std::size_t, 32>());
        default:
            return copy(size);
    }
}

}  // namespace

bool has_matrix_form(DType type) {
    const Encoding* encoding = find_encoding(type);
    return encoding != nullptr && encoding->has(Layout::GpuMatrix);
}

bool is_quantized(DType type) {
    return has_matrix_form(type) && !is_float(encoding_of(type).codes);
}

MatrixLayout::MatrixLayout(DType of, std::uint64_t n_rows, std::uint64_t cols)
    : type(of), rows(n_rows), blocks(cols / kBlockColumns) {
    const std::uint64_t file_block = dtype_info(type).block_values;
    HEARTH_ASSERT(has_matrix_form(type) && cols % kBlockColumns == 0 && cols % file_block == 0);
    const Encoding& encoding = encoding_of(type);
    const auto row = [](std::uint64_t count, int each) {
        return words_of(count * static_cast<std::uint64_t>(each));
    };
    quads.row_bytes = row(blocks, kBlockColumns / 8 * low_bits(encoding.codes));
    high.row_bytes = row(blocks, kBlockColumns / 8 * high_bits(encoding.codes));
    scales.row_bytes = row(blocks, scale_bytes(encoding.scales));
    supers.row_bytes = row(cols / file_block, block_scale_bytes(encoding.scales));
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

std::uint64_t matrix_bytes_max(std::uint64_t rows, std::uint64_t cols) {
    std::uint64_t most = 0;
    for (const Encoding& encoding : encodings()) {
        if (encoding.has(Layout::GpuMatrix) && cols % dtype_info(encoding.type).block_values == 0) {
            most = std::max(most, MatrixLayout(encoding.type, rows, cols).bytes);
        }
    }
    return most;
}

RowPlaces places_of_row(const MatrixLayout& layout, const RowPlaces& runs, std::uint64_t row) {
    return {runs.quads + row * layout.quads.row_bytes, runs.high + row * layout.high.row_bytes,
            runs.scales + row * layout.scales.row_bytes,
            runs.supers + row * layout.supers.row_bytes};
}

RowPlaces runs_of(const MatrixLayout& layout, std::byte* base) {
    return {base + layout.quads.at, base + layout.high.at, base + layout.scales.at,
            base + layout.supers.at};
}

void take_apart(const MatrixLayout& layout, const std::byte* file_row, std::uint64_t first_col,
                const RowPlaces& to) {
    const Encoding& encoding = encoding_of(layout.type);
    const DTypeInfo& file = dtype_info(layout.type);
    const auto scale = static_cast<std::size_t>(scale_bytes(encoding.scales));
    // What padding there is lies in the last words.
    std::memset(to.scales, 0, layout.scales.row_bytes);
    std::memset(to.supers, 0, layout.supers.row_bytes);
    if (file.block_values <= kBlockColumns) {
        // Scales, high bits, low bits: every type of such blocks has them in this order.
        const std::size_t each = kBlockColumns / file.block_values * file.block_bytes;
        const std::size_t high = layout.high.row_bytes / layout.blocks;
        const std::byte* from = file_row + first_col / kBlockColumns * each;
        gather(from, each, layout.blocks, scale, to.scales);
        gather(from + scale, each, layout.blocks, high, to.high);
        gather(from + scale + high, each, layout.blocks, each - scale - high, to.quads);
        return;
    }
    HEARTH_ASSERT(file.block_bytes == sizeof(BlockQ6_K));
    for (std::uint64_t b = 0; b < layout.blocks; ++b) {
        const std::uint64_t at = first_col / kBlockColumns + b;
        BlockQ6_K from;
        std::memcpy(&from, file_row + at / 8 * sizeof from, sizeof from);
        const auto j = static_cast<int>(at % 8);
        take_q6(from, j, to.quads + b * 16, to.high + b * 8);
        std::memcpy(to.scales + b * 2, from.scales + 2 * j, 2);
        std::memcpy(to.supers + b / 8 * 2, &from.d, 2);
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
