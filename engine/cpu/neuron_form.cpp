#include "cpu/neuron_form.h"

#include <cstdint>
#include <cstring>

#include "base/aligned_buffer.h"
#include "base/assert.h"
#include "base/half.h"
#include "cpu/kernels/kernels.h"
#include "cpu/pack_rows.h"
#include "gguf/blocks.h"
#include "gguf/rows.h"

namespace hearth {
namespace {

using kernels::kRowGroup;
using kernels::kTileRows;
using kernels::row_form_cols;

constexpr std::size_t kRows = kTileRows;
constexpr std::size_t kGroupBlocks = kRowGroup / kBlockValues;
constexpr std::size_t kNibbleBytes = kBlockValues / 2;
constexpr std::uint64_t kLow = 0x0F0F0F0F0F0F0F0FU;

std::uint64_t load_u64(const std::byte* p) {
    std::uint64_t value;
    std::memcpy(&value, p, sizeof value);
    return value;
}

void store_u64(std::byte* p, std::uint64_t value) {
    std::memcpy(p, &value, sizeof value);
}

// Blocks 0 and 1 of a group lie in the low nibbles of 32 bytes each, blocks 2 and 3 in the high
// nibbles of the same bytes. The first 16 values of a block lie in the first 16 of its bytes.
void q4_to_row_form(const std::byte* row, int cols, std::byte* out) {
    const auto n_blocks = static_cast<std::size_t>(cols / kBlockValues);
    std::byte* scales = out + row_form_cols(cols) / 2;
    for (std::size_t b = 0; b < n_blocks; ++b) {
        const std::byte* block = row + b * sizeof(BlockQ4_0);
        std::memcpy(scales + 2 * b, block, 2);
        std::byte* bytes = out + b / kGroupBlocks * (kRowGroup / 2) + b % 2 * kBlockValues;
        const unsigned shift = b % kGroupBlocks < 2 ? 0 : 4;
        for (std::size_t i = 0; i < kNibbleBytes; i += 8) {
            const std::uint64_t both = load_u64(block + 2 + i);
            std::byte* first = bytes + i;
            std::byte* second = bytes + kNibbleBytes + i;
            store_u64(first, load_u64(first) | (both & kLow) << shift);
            store_u64(second, load_u64(second) | (both >> 4 & kLow) << shift);
        }
    }
}

void q8_to_row_form(const std::byte* row, int cols, std::byte* out) {
    const auto n_blocks = static_cast<std::size_t>(cols / kBlockValues);
    std::byte* scales = out + row_form_cols(cols);
    for (std::size_t b = 0; b < n_blocks; ++b) {
        const std::byte* block = row + b * sizeof(BlockQ8_0);
        std::memcpy(scales + 2 * b, block, 2);
        for (std::size_t i = 0; i < kBlockValues; i += 8) {
            store_u64(out + b * kBlockValues + i, load_u64(block + 2 + i) ^ 0x8080808080808080U);
        }
    }
}

void q5_to_row_form(const std::byte* row, int cols, std::byte* out) {
    const auto n_blocks = static_cast<std::size_t>(cols / kBlockValues);
    std::byte* scales = out + row_form_cols(cols);
    for (std::size_t b = 0; b < n_blocks; ++b) {
        BlockQ5_0 block;
        std::memcpy(&block, row + b * sizeof block, sizeof block);
        const BlockQ8_0 wide = widened(block);
        std::memcpy(scales + 2 * b, &wide.d, 2);
        for (std::size_t i = 0; i < kBlockValues; ++i) {
            out[b * kBlockValues + i] = static_cast<std::byte>(128 + wide.qs[i]);
        }
    }
}

void q6_to_row_form(const std::byte* row, int cols, std::byte* out) {
    float values[kSuperBlockValues];
    for (int c = 0; c < cols; c += kSuperBlockValues, row += sizeof(BlockQ6_K)) {
        dequantize_row(DType::Q6_K, row, values);
        for (const float value : values) {
            const std::uint16_t half = float_to_half(value);
            std::memcpy(out, &half, sizeof half);
            out += sizeof half;
        }
    }
}

// Stores the dwords of a block's bytes (four for nibbles, eight for bytes) at their places in a
// tile.
void store_dwords(const std::byte* bytes, std::size_t count, std::size_t row, std::byte* out) {
    for (std::size_t g = 0; g < count; ++g) {
        std::memcpy(out + (g * kRows + row) * 4, bytes + 4 * g, 4);
    }
}

// Takes the nibbles of block b of a row, in the order that a file has.
void take_nibbles(const std::byte* row, std::size_t b, std::byte* nibbles) {
    const std::byte* bytes = row + b / kGroupBlocks * (kRowGroup / 2) + b % 2 * kBlockValues;
    const unsigned shift = b % kGroupBlocks < 2 ? 0 : 4;
    for (std::size_t i = 0; i < kNibbleBytes; i += 8) {
        const std::uint64_t low = load_u64(bytes + i) >> shift & kLow;
        const std::uint64_t high = load_u64(bytes + kNibbleBytes + i) >> shift & kLow;
        store_u64(nibbles + i, low | high << 4);
    }
}

void q4_from_row_form(const std::byte* row, int cols, std::byte* out) {
    const std::byte* scales = row + row_form_cols(cols) / 2;
    const auto n_blocks = static_cast<std::size_t>(cols / kBlockValues);
    for (std::size_t b = 0; b < n_blocks; ++b, out += sizeof(BlockQ4_0)) {
        std::memcpy(out, scales + 2 * b, 2);
        take_nibbles(row, b, out + 2);
    }
}

void q8_from_row_form(const std::byte* row, int cols, std::byte* out) {
    const std::byte* scales = row + row_form_cols(cols);
    const auto n_blocks = static_cast<std::size_t>(cols / kBlockValues);
    for (std::size_t b = 0; b < n_blocks; ++b, out += sizeof(BlockQ8_0)) {
        std::memcpy(out, scales + 2 * b, 2);
        for (std::size_t i = 0; i < kBlockValues; i += 8) {
            store_u64(out + 2 + i, load_u64(row + b * kBlockValues + i) ^ 0x8080808080808080U);
        }
    }
}

void q4_to_tile(const std::byte* row, int cols, std::size_t r, std::byte* tile) {
    const auto n_blocks = static_cast<std::size_t>(cols / kBlockValues);
    const std::byte* scales = row + row_form_cols(cols) / 2;
    for (std::size_t b = 0; b < n_blocks; ++b) {
        std::byte* out = tile + b * kRows * sizeof(BlockQ4_0);
        std::memcpy(out + 2 * r, scales + 2 * b, 2);
        std::byte block[kNibbleBytes];
        take_nibbles(row, b, block);
        store_dwords(block, 4, r, out + 2 * kRows);
    }
}

void q8_to_tile(const std::byte* row, int cols, std::size_t r, std::byte* tile) {
    const auto n_blocks = static_cast<std::size_t>(cols / kBlockValues);
    const std::byte* scales = row + row_form_cols(cols);
    for (std::size_t b = 0; b < n_blocks; ++b) {
        std::byte* out = tile + b * kRows * sizeof(BlockQ8_0);
        std::memcpy(out + 2 * r, scales + 2 * b, 2);
        store_dwords(row + b * kBlockValues, 8, r, out + 2 * kRows);
    }
}

template <class Value>
void plain_to_tile(const std::byte* row, int cols, std::size_t r, std::byte* tile) {
    for (std::size_t c = 0; c < static_cast<std::size_t>(cols); ++c) {
        std::memcpy(tile + (c * kRows + r) * sizeof(Value), row + c * sizeof(Value), sizeof(Value));
    }
}

}  // namespace

DType row_form_type(DType file_type) {
    return file_type == DType::Q5_0   ? DType::Q8_0
           : file_type == DType::Q6_K ? DType::F16
                                      : file_type;
}

std::size_t row_form_bytes(DType type, int cols) {
    const auto bytes = static_cast<std::size_t>(
        row_bytes(row_form_type(type), static_cast<std::uint64_t>(row_form_cols(cols))));
    constexpr std::size_t kAlignment = AlignedBuffer::kAlignment;
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

void to_row_form(DType type, const std::byte* file_row, int cols, std::byte* out) {
    std::memset(out, 0, row_form_bytes(type, cols));
    switch (type) {
        case DType::Q4_0:
            return q4_to_row_form(file_row, cols, out);
        case DType::Q8_0:
            return q8_to_row_form(file_row, cols, out);
        case DType::Q5_0:
            return q5_to_row_form(file_row, cols, out);
        case DType::Q6_K:
            return q6_to_row_form(file_row, cols, out);
        default:
            std::memcpy(out, file_row, row_bytes(type, static_cast<std::uint64_t>(cols)));
    }
}

void from_row_form(DType type, const std::byte* row, int cols, std::byte* file_row) {
    switch (type) {
        case DType::Q4_0:
            return q4_from_row_form(row, cols, file_row);
        case DType::Q8_0:
            return q8_from_row_form(row, cols, file_row);
        default:
            std::memcpy(file_row, row, row_bytes(type, static_cast<std::uint64_t>(cols)));
    }
}

void row_form_to_tile(DType type, const std::byte* rows, std::size_t stride, int n_rows, int cols,
                      std::byte* tile) {
    if (n_rows < kTileRows) {
        std::memset(tile, 0, kRows * row_bytes(type, static_cast<std::uint64_t>(cols)));
    }
    for (std::size_t r = 0; r < static_cast<std::size_t>(n_rows); ++r) {
        const std::byte* row = rows + r * stride;
        switch (type) {
            case DType::F32:
                plain_to_tile<std::uint32_t>(row, cols, r, tile);
                break;
            case DType::F16:
            case DType::BF16:
                plain_to_tile<std::uint16_t>(row, cols, r, tile);
                break;
            case DType::Q8_0:
                q8_to_tile(row, cols, r, tile);
                break;
            case DType::Q4_0:
                q4_to_tile(row, cols, r, tile);
                break;
            default:
                HEARTH_ASSERT(false);
        }
    }
}

}  // namespace hearth
