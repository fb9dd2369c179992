#include "cpu/pack_rows.h"

#include <cstring>

#include "base/assert.h"
#include "base/half.h"
#include "cpu/kernels/kernels.h"
#include "gguf/blocks.h"
#include "gguf/rows.h"

namespace hearth {
namespace {

using kernels::kTileRows;

constexpr std::size_t kRows = kTileRows;

// `Value` is the unsigned integer of the element's width.
template <class Value>
void pack_plain(const std::byte* rows, std::size_t stride, int n_rows, int cols,
                std::byte* tile) {
    for (std::size_t r = 0; r < kRows; ++r) {
        std::byte* out = tile + r * sizeof(Value);
        for (std::size_t c = 0; c < static_cast<std::size_t>(cols); ++c) {
            Value value{};
            if (static_cast<int>(r) < n_rows) {
                std::memcpy(&value, rows + r * stride + c * sizeof(Value), sizeof(Value));
            }
            std::memcpy(out + c * kRows * sizeof(Value), &value, sizeof(Value));
        }
    }
}

// Bytes of one value's dword group: XOR turns Q8_0's signed bytes into offset ones; Q4_0's nibbles
// have their offset in the file already.
template <class Block, int kGroups, std::uint32_t kFlip>
void pack_blocks(const std::byte* rows, std::size_t stride, int n_rows, int cols,
                 std::byte* tile) {
    const std::size_t n_blocks = static_cast<std::size_t>(cols / kBlockValues);
    for (std::size_t b = 0; b < n_blocks; ++b) {
        std::byte* out = tile + b * kRows * sizeof(Block);
        for (std::size_t r = 0; r < kRows; ++r) {
            std::uint16_t d = 0;
            std::uint32_t group[kGroups];
            if (static_cast<int>(r) < n_rows) {
                const std::byte* block = rows + r * stride + b * sizeof(Block);
                std::memcpy(&d, block, sizeof d);
                std::memcpy(group, block + sizeof d, sizeof group);
            } else {
                std::memset(group, 0, sizeof group);
            }
            std::memcpy(out + r * sizeof d, &d, sizeof d);
            for (std::size_t g = 0; g < kGroups; ++g) {
                const std::uint32_t value = group[g] ^ kFlip;
                std::memcpy(out + kRows * sizeof d + (g * kRows + r) * 4, &value, 4);
            }
        }
    }
}

}  // namespace

std::uint64_t packed_bytes(DType type, std::uint64_t rows, std::uint64_t cols) {
    return (rows + kRows - 1) / kRows * kRows * row_bytes(type, cols);
}

void pack_tile(DType type, const std::byte* rows, std::size_t stride, int n_rows, int cols,
               std::byte* tile) {
    switch (type) {
        case DType::F32:
            return pack_plain<std::uint32_t>(rows, stride, n_rows, cols, tile);
        case DType::F16:
        case DType::BF16:
            return pack_plain<std::uint16_t>(rows, stride, n_rows, cols, tile);
        case DType::Q8_0:
            return pack_blocks<BlockQ8_0, 8, 0x80808080U>(rows, stride, n_rows, cols, tile);
        case DType::Q4_0:
            return pack_blocks<BlockQ4_0, 4, 0U>(rows, stride, n_rows, cols, tile);
        default:
            HEARTH_ASSERT(false);
    }
}

void pack_tile(DType type, const std::byte* rows, int n_rows, int cols, std::byte* tile) {
    pack_tile(type, rows, row_bytes(type, static_cast<std::uint64_t>(cols)), n_rows, cols, tile);
}

void unpack_row(DType type, const std::byte* packed, std::uint64_t row, std::span<float> out) {
    const std::size_t cols = out.size();
    const std::byte* tile = packed + row / kRows * packed_bytes(type, kRows, cols);
    const std::size_t r = row % kRows;
    const auto load_u16 = [](const std::byte* p) {
        std::uint16_t value;
        std::memcpy(&value, p, sizeof value);
        return value;
    };
    switch (type) {
        case DType::F32:
            for (std::size_t c = 0; c < cols; ++c) {
                std::memcpy(&out[c], tile + (c * kRows + r) * 4, 4);
            }
            return;
        case DType::F16:
            for (std::size_t c = 0; c < cols; ++c) {
                out[c] = half_to_float(load_u16(tile + (c * kRows + r) * 2));
            }
            return;
        case DType::BF16:
            for (std::size_t c = 0; c < cols; ++c) {
                out[c] = bfloat16_to_float(load_u16(tile + (c * kRows + r) * 2));
            }
            return;
        case DType::Q8_0:
            for (std::size_t c = 0; c < cols; ++c) {
                const std::byte* block = tile + c / 32 * kRows * sizeof(BlockQ8_0);
                const std::size_t i = c % 32;
                const auto q = static_cast<int>(block[2 * kRows + (i / 4 * kRows + r) * 4 + i % 4]);
                out[c] = half_to_float(load_u16(block + 2 * r)) * static_cast<float>(q - 128);
            }
            return;
        case DType::Q4_0:
            for (std::size_t c = 0; c < cols; ++c) {
                const std::byte* block = tile + c / 32 * kRows * sizeof(BlockQ4_0);
                const std::size_t i = c % 16;
                const auto both =
                    static_cast<int>(block[2 * kRows + (i / 4 * kRows + r) * 4 + i % 4]);
                const int nibble = c % 32 < 16 ? both & 15 : both >> 4;
                out[c] = half_to_float(load_u16(block + 2 * r)) * static_cast<float>(nibble - 8);
            }
            return;
        default:
            HEARTH_ASSERT(false);
    }
}

}  // namespace hearth
