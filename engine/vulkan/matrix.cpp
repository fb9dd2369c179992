#include "vulkan/matrix.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "base/assert.h"
#include "gguf/encoding.h"
#include "gguf/row_piece.h"
#include "include/params.h"

namespace hearth::vulkan {
namespace {

constexpr std::size_t kHalfBlock = kBlockColumns / 2;

constexpr std::uint64_t words_of(std::uint64_t bytes) {
    return (bytes + 3) / 4 * 4;
}
constexpr std::uint64_t aligned(std::uint64_t bytes) {
    return (bytes + 15) / 16 * 16;
}

constexpr std::uint64_t kEightLow = 0x0F0F0F0F0F0F0F0FU;

std::uint64_t load_eight(const std::uint8_t* codes) {
    std::uint64_t eight;
    std::memcpy(&eight, codes, sizeof eight);
    return eight;
}

// Packs 32 codes as the shaders have them: low halves of bytes are codes 0 to 15.
void put_nibbles(const std::uint8_t* codes, std::byte* to) {
    for (std::size_t i = 0; i < kHalfBlock; i += 8) {
        const std::uint64_t both = (load_eight(codes + i) & kEightLow) |
                                   (load_eight(codes + kHalfBlock + i) & kEightLow) << 4;
        std::memcpy(to + i, &both, sizeof both);
    }
}

// Packs what 32 codes have beyond four bits, one bit of each or two, beginning with the lowest
// bits.
void put_high_bits(const std::uint8_t* codes, int bits, std::byte* to) {
    for (std::size_t i = 0; i < kBlockColumns && bits > 0; i += 8) {
        std::uint64_t eight = load_eight(codes + i) >> 4 & kEightLow;
        // Neighbours meet, then neighbouring pairs.
        eight |= eight >> (8 - bits);
        eight |= eight >> (16 - 2 * bits);
        to[0] = static_cast<std::byte>(bits == 1 ? eight | eight >> 28 : eight);
        if (bits == 2) {
            to[1] = static_cast<std::byte>(eight >> 32);
        }
        to += bits;
    }
}

// Copies a part of each of n blocks, `size` bytes every `stride`, to one run.
void gather(const std::byte* from, std::size_t stride, std::uint64_t n, std::uint64_t size,
            std::byte* to) {
    const auto copy = [&](auto each) {
        for (std::uint64_t b = 0; b < n; ++b) {
            std::memcpy(to + b * each, from + b * stride, each);
        }
    };
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
    const Encoding& encoding = encoding_of(type);
    HEARTH_ASSERT(encoding.has(Layout::GpuMatrix) && cols % kBlockColumns == 0 &&
                  cols % encoding.block_values == 0);
    const auto row = [](std::uint64_t count, int each) {
        return words_of(count * static_cast<std::uint64_t>(each));
    };
    quads.row_bytes = row(blocks, kBlockColumns / 8 * low_bits(encoding.codes));
    high.row_bytes = row(blocks, kBlockColumns / 8 * high_bits(encoding.codes));
    scales.row_bytes = row(blocks, scale_bytes(encoding.scales));
    supers.row_bytes = row(cols / encoding.block_values, block_scale_bytes(encoding.scales));
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
        if (encoding.has(Layout::GpuMatrix) && cols % encoding.block_values == 0) {
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
    const BlockShape& shape = encoding.shape;
    const std::size_t size = encoding.block_bytes;
    const std::byte* from = file_row + first_col / encoding.block_values * size;
    const std::uint64_t n = layout.blocks;
    const std::uint64_t high = layout.high.row_bytes / n;
    if (is_float(encoding.codes)) {
        std::memcpy(to.quads, from, layout.quads.row_bytes);
        return;
    }
    // What padding there is lies in the last words.
    std::memset(to.scales, 0, layout.scales.row_bytes);
    std::memset(to.supers, 0, layout.supers.row_bytes);
    if (encoding.block_values == kBlockColumns) {
        gather(from + shape.d, size, n, scale_bytes(encoding.scales), to.scales);
        gather(from + shape.high, size, n, high, to.high);
        gather(from + shape.codes, size, n, layout.quads.row_bytes / n, to.quads);
        return;
    }
    const int bits = high_bits(encoding.codes);
    RowPiece piece;
    for (std::uint64_t b = 0; b < n; ++b) {
        const std::uint64_t col = b * kBlockColumns % encoding.block_values;
        if (col == 0) {
            hearth::take_apart(encoding, from, encoding.block_values, piece);
            from += size;
            std::memcpy(to.supers + b * kBlockColumns / encoding.block_values * 2, piece.d, 2);
        }
        put_nibbles(piece.codes + col, to.quads + b * kHalfBlock);
        put_high_bits(piece.codes + col, bits, to.high + b * high);
        std::memcpy(to.scales + b * 2, piece.scales + col / 16, 2);
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
