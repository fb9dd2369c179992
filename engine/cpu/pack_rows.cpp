#include "cpu/pack_rows.h"

#include <algorithm>
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
void pack_plain(const std::byte* rows, std::size_t stride, int n_rows, int cols, std::byte* tile) {
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

// Packs blocks dword by dword. XOR with kFlip turns the signed bytes of Q8_0 into bytes with an
// offset. The nibbles of Q4_0 have their offset in the file already.
template <class Block, int kGroups, std::uint32_t kFlip>
void pack_blocks(const std::byte* rows, std::size_t stride, int n_rows, int cols, std::byte* tile) {
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

void pack_q5_0(const std::byte* rows, std::size_t stride, int n_rows, int cols, std::byte* tile) {
    const auto n_blocks = static_cast<std::size_t>(cols / kBlockValues);
    for (std::size_t b = 0; b < n_blocks; ++b) {
        BlockQ8_0 wide[kRows] = {};
        for (std::size_t r = 0; r < static_cast<std::size_t>(n_rows); ++r) {
            BlockQ5_0 block;
            std::memcpy(&block, rows + r * stride + b * sizeof block, sizeof block);
            wide[r] = widened(block);
        }
        pack_blocks<BlockQ8_0, 8, 0x80808080U>(reinterpret_cast<const std::byte*>(wide),
                                               sizeof(BlockQ8_0), kTileRows, kBlockValues,
                                               tile + b * sizeof wide);
    }
}

// Loads 32 columns of a row of Q6_K, from column 32 * sub on. Each number is its code plus 32, from
// 0 to 63.
void load_codes(const BlockQ6_K& block, std::size_t sub, std::uint8_t* codes) {
    const std::size_t half = sub / 4;
    const unsigned quarter = sub % 4;
    for (std::size_t l = 0; l < kBlockValues; ++l) {
        const unsigned nibbles = block.ql[64 * half + 32 * (quarter % 2) + l];
        const unsigned low = quarter < 2 ? nibbles & 15U : nibbles >> 4;
        const unsigned high = block.qh[32 * half + l] >> 2 * quarter & 3U;
        codes[l] = static_cast<std::uint8_t>(low | high << 4);
    }
}

void pack_q6_k(const std::byte* rows, std::size_t stride, int n_rows, int cols, std::byte* tile) {
    const auto n_blocks = static_cast<std::size_t>(cols / kSuperBlockValues);
    for (std::size_t b = 0; b < n_blocks; ++b, tile += kernels::kQ6BlockBytes) {
        for (std::size_t r = 0; r < kRows; ++r) {
            BlockQ6_K block{};
            if (static_cast<int>(r) < n_rows) {
                std::memcpy(&block, rows + r * stride + b * sizeof block, sizeof block);
            }
            std::memcpy(tile + 2 * r, &block.d, 2);
            for (std::size_t sub = 0; sub < 8; ++sub) {
                std::byte* out = tile + 2 * kRows + sub * kernels::kQ6SubBlockBytes;
                out[r] = static_cast<std::byte>(block.scales[2 * sub]);
                out[kRows + r] = static_cast<std::byte>(block.scales[2 * sub + 1]);
                std::uint8_t codes[kBlockValues];
                load_codes(block, sub, codes);
                std::byte* nibbles = out + 2 * kRows + 4 * r;
                std::byte* pairs = nibbles + 4 * 4 * kRows;
                for (std::size_t i = 0; i < 16; ++i) {
                    nibbles[i / 4 * 4 * kRows + i % 4] =
                        static_cast<std::byte>((codes[i] & 15U) | (codes[i + 16] & 15U) << 4);
                }
                for (std::size_t i = 0; i < 8; ++i) {  // i / 4: which 16 columns
                    const std::uint8_t* first = codes + 16 * (i / 4) + i % 4;
                    pairs[i / 4 * 4 * kRows + i % 4] =
                        static_cast<std::byte>(first[0] >> 4 | first[4] >> 4 << 2 |
                                               first[8] >> 4 << 4 | first[12] >> 4 << 6);
                }
            }
        }
    }
}

// Transposes four columns of four rows of 16-bit values. Each number holds a row.
void turn(std::uint64_t (&a)[4]) {
    constexpr std::uint64_t kEven = 0x0000FFFF0000FFFFU;
    constexpr std::uint64_t kLow = 0x00000000FFFFFFFFU;
    const std::uint64_t x0 = (a[0] & kEven) | (a[1] & kEven) << 16;
    const std::uint64_t x1 = (a[0] >> 16 & kEven) | (a[1] & ~kEven);
    const std::uint64_t x2 = (a[2] & kEven) | (a[3] & kEven) << 16;
    const std::uint64_t x3 = (a[2] >> 16 & kEven) | (a[3] & ~kEven);
    a[0] = (x0 & kLow) | x2 << 32;
    a[1] = (x1 & kLow) | x3 << 32;
    a[2] = x0 >> 32 | (x2 & ~kLow);
    a[3] = x1 >> 32 | (x3 & ~kLow);
}

// Unpacks halves, 32 columns of all rows at a time. Rows lie a power of two apart and so fall into
// the same few sets of the cache, where single values of 16 rows would push each other out.
void unpack_halves(const std::byte* tile, std::size_t n_rows, int cols, std::byte* rows) {
    constexpr std::size_t kStep = 32;
    const auto n_cols = static_cast<std::size_t>(cols);
    for (std::size_t first = 0; first < n_cols; first += kStep) {
        const std::size_t n = std::min(kStep, n_cols - first);
        std::uint16_t together[kRows][kStep] = {};
        for (std::size_t c = 0; c + 4 <= n; c += 4) {
            const std::byte* in = tile + (first + c) * kRows * 2;
            for (std::size_t r = 0; r < kRows; r += 4) {
                std::uint64_t block[4];
                for (std::size_t i = 0; i < 4; ++i) {
                    std::memcpy(&block[i], in + (i * kRows + r) * 2, 8);
                }
                turn(block);
                for (std::size_t i = 0; i < 4; ++i) {
                    std::memcpy(&together[r + i][c], &block[i], 8);
                }
            }
        }
        for (std::size_t c = n / 4 * 4; c < n; ++c) {
            for (std::size_t r = 0; r < kRows; ++r) {
                std::memcpy(&together[r][c], tile + ((first + c) * kRows + r) * 2, 2);
            }
        }
        for (std::size_t r = 0; r < n_rows; ++r) {
            std::memcpy(rows + (r * n_cols + first) * 2, together[r], n * 2);
        }
    }
}

void unpack_floats(const std::byte* tile, std::size_t n_rows, int cols, std::byte* rows) {
    const auto n_cols = static_cast<std::size_t>(cols);
    for (std::size_t c = 0; c < n_cols; ++c) {
        for (std::size_t r = 0; r < n_rows; ++r) {
            std::memcpy(rows + (r * n_cols + c) * 4, tile + (c * kRows + r) * 4, 4);
        }
    }
}

template <class Block, int kGroups, std::uint32_t kFlip>
void unpack_blocks(const std::byte* tile, std::size_t n_rows, int cols, std::byte* rows) {
    const auto n_blocks = static_cast<std::size_t>(cols / kBlockValues);
    for (std::size_t b = 0; b < n_blocks; ++b) {
        const std::byte* in = tile + b * kRows * sizeof(Block);
        for (std::size_t r = 0; r < n_rows; ++r) {
            std::uint32_t group[kGroups];
            for (std::size_t g = 0; g < kGroups; ++g) {
                std::memcpy(&group[g], in + 2 * kRows + (g * kRows + r) * 4, 4);
                group[g] ^= kFlip;
            }
            std::byte* block = rows + (r * n_blocks + b) * sizeof(Block);
            std::memcpy(block, in + 2 * r, 2);
            std::memcpy(block + 2, group, sizeof group);
        }
    }
}

// Column i (of 32) of a row, as its code plus 32.
unsigned tile_code(const std::byte* sub, std::size_t r, std::size_t i) {
    const std::byte* nibbles = sub + 2 * kRows + (i % 16 / 4 * kRows + r) * 4 + i % 4;
    const std::byte* pairs = sub + 2 * kRows + 16 * kRows + (i / 16 * kRows + r) * 4 + i % 4;
    const unsigned low = static_cast<unsigned>(*nibbles) >> (i < 16 ? 0 : 4) & 15U;
    const unsigned high = static_cast<unsigned>(*pairs) >> 2 * (i % 16 / 4) & 3U;
    return low + 16 * high;
}

std::uint32_t load_u32(const void* p) {
    std::uint32_t value;
    std::memcpy(&value, p, sizeof value);
    return value;
}

void or_u32(std::uint8_t* p, std::uint32_t bits) {
    const std::uint32_t value = load_u32(p) | bits;
    std::memcpy(p, &value, sizeof value);
}

// Unpacks four columns at a time, one byte each.
void unpack_q6_k_tile(const std::byte* tile, std::size_t n_rows, int cols, std::byte* rows) {
    constexpr std::uint32_t kNibbles = 0x0F0F0F0FU;
    constexpr std::uint32_t kPairs = 0x03030303U;
    const auto n_blocks = static_cast<std::size_t>(cols / kSuperBlockValues);
    for (std::size_t b = 0; b < n_blocks; ++b, tile += kernels::kQ6BlockBytes) {
        for (std::size_t r = 0; r < n_rows; ++r) {
            BlockQ6_K block{};
            std::memcpy(&block.d, tile + 2 * r, 2);
            for (std::size_t s = 0; s < 8; ++s) {
                const std::byte* sub = tile + 2 * kRows + s * kernels::kQ6SubBlockBytes;
                block.scales[2 * s] = static_cast<std::int8_t>(sub[r]);
                block.scales[2 * s + 1] = static_cast<std::int8_t>(sub[kRows + r]);
                const std::size_t half = s / 4;
                const std::size_t quarter = s % 4;
                for (std::size_t g = 0; g < 8; ++g) {  // columns 4 g to 4 g + 3
                    const std::uint32_t nibbles =
                        load_u32(sub + 2 * kRows + (g % 4 * kRows + r) * 4) >> (g < 4 ? 0 : 4) &
                        kNibbles;
                    const std::uint32_t pairs =
                        load_u32(sub + 18 * kRows + (g / 4 * kRows + r) * 4) >> 2 * (g % 4) &
                        kPairs;
                    or_u32(block.ql + 64 * half + 32 * (quarter % 2) + 4 * g,
                           nibbles << (quarter < 2 ? 0 : 4));
                    or_u32(block.qh + 32 * half + 4 * g, pairs << 2 * quarter);
                }
            }
            std::memcpy(rows + (r * n_blocks + b) * sizeof block, &block, sizeof block);
        }
    }
}

void unpack_q6_k(const std::byte* tile, std::size_t r, std::span<float> out) {
    for (std::size_t c = 0; c < out.size(); ++c) {
        const std::byte* block = tile + c / kSuperBlockValues * kernels::kQ6BlockBytes;
        const std::byte* sub =
            block + 2 * kRows + c % kSuperBlockValues / kBlockValues * kernels::kQ6SubBlockBytes;
        const std::size_t i = c % kBlockValues;
        const auto scale = static_cast<std::int8_t>(sub[i / 16 * kRows + r]);
        const auto code = static_cast<int>(tile_code(sub, r, i)) - 32;
        std::uint16_t d;
        std::memcpy(&d, block + 2 * r, sizeof d);
        out[c] = half_to_float(d) * static_cast<float>(scale * code);
    }
}

}  // namespace

BlockQ8_0 widened(const BlockQ5_0& block) {
    BlockQ8_0 wide{block.d, {}};
    constexpr std::size_t kHalf = kBlockValues / 2;
    for (std::size_t i = 0; i < kBlockValues; ++i) {
        const int nibble = i < kHalf ? block.qs[i] & 15 : block.qs[i - kHalf] >> 4;
        const int fifth = block.qh[i / 8] >> i % 8 & 1;
        wide.qs[i] = static_cast<std::int8_t>(nibble + 16 * fifth - 16);
    }
    return wide;
}

DType held_type(DType file_type) {
    return file_type == DType::Q5_0 ? DType::Q8_0 : file_type;
}

std::uint64_t packed_bytes(DType type, std::uint64_t rows, std::uint64_t cols) {
    return (rows + kRows - 1) / kRows * kRows * row_bytes(held_type(type), cols);
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
        case DType::Q5_0:
            return pack_q5_0(rows, stride, n_rows, cols, tile);
        case DType::Q6_K:
            return pack_q6_k(rows, stride, n_rows, cols, tile);
        default:
            HEARTH_ASSERT(false);
    }
}

void pack_tile(DType type, const std::byte* rows, int n_rows, int cols, std::byte* tile) {
    pack_tile(type, rows, row_bytes(type, static_cast<std::uint64_t>(cols)), n_rows, cols, tile);
}

void unpack_tile(DType type, const std::byte* tile, int n_rows, int cols, std::byte* rows) {
    const auto n = static_cast<std::size_t>(n_rows);
    switch (type) {
        case DType::F32:
            return unpack_floats(tile, n, cols, rows);
        case DType::F16:
        case DType::BF16:
            return unpack_halves(tile, n, cols, rows);
        case DType::Q8_0:
            return unpack_blocks<BlockQ8_0, 8, 0x80808080U>(tile, n, cols, rows);
        case DType::Q4_0:
            return unpack_blocks<BlockQ4_0, 4, 0U>(tile, n, cols, rows);
        case DType::Q6_K:
            return unpack_q6_k_tile(tile, n, cols, rows);
        default:
            HEARTH_ASSERT(false);
    }
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
        case DType::Q6_K:
            return unpack_q6_k(tile, r, out);
        default:
            HEARTH_ASSERT(false);
    }
}

}  // namespace hearth
