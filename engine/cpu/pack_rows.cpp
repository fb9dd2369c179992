#include "cpu/pack_rows.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/assert.h"
#include "cpu/kernels/kernels.h"
#include "cpu/kernels/packed_tile.h"
#include "cpu/rows_to_tile.h"
#include "cpu/tile_pieces.h"
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

// Calls visit(bytes from a row's beginning, values) for each piece of a row.
template <class Visit>
void for_each_piece(const Encoding& encoding, int cols, Visit&& visit) {
    for (int first = 0; first < cols; first += RowPiece::kValues) {
        visit(row_bytes(encoding.type, static_cast<std::uint64_t>(first)),
              std::min(RowPiece::kValues, cols - first));
    }
}

// Whether a file has the codes of a block as a tile has those of a row: dword by dword, but for the
// offset of bytes. What is read most goes this way, several times as fast as through pieces.
bool is_tile_order(const Encoding& encoding) {
    return encoding.block_values == kBlockValues && encoding.shape.high == BlockShape::kNone &&
           half_count(encoding.scales) > 0 &&
           (encoding.codes == CodeKind::Bits8 || encoding.shape.low_run == kBlockValues / 2);
}

// Calls move(the file's block, the tile's block, where the row's dwords begin there) for each block
// of each row.
template <class File, class Tile, class Move>
void for_each_block(const Encoding& encoding, File* rows, std::size_t stride, std::size_t n_rows,
                    int cols, Tile* tile, Move&& move) {
    const std::size_t bytes = encoding.block_bytes;
    const std::size_t head = static_cast<std::size_t>(half_count(encoding.scales)) * 2 * kRows;
    for (std::size_t b = 0; b < static_cast<std::size_t>(cols / kBlockValues); ++b) {
        for (std::size_t r = 0; r < n_rows; ++r) {
            move(rows + r * stride + b * bytes, tile + 2 * r, tile + head + 4 * r);
        }
        tile += kRows * bytes;
    }
}

template <std::size_t n_dwords, std::uint32_t flip>
void unpack_dwords(const Encoding& encoding, const std::byte* tile, std::size_t n_rows, int cols,
                   std::byte* rows) {
    const BlockShape shape = encoding.shape;
    const int n_halves = half_count(encoding.scales);
    for_each_block(encoding, rows, row_bytes(encoding.type, static_cast<std::uint64_t>(cols)),
                   n_rows, cols, tile,
                   [&](std::byte* block, const std::byte* halves, const std::byte* codes) {
                       for (int h = 0; h < n_halves; ++h, halves += 2 * kRows) {
                           std::memcpy(block + shape.halves[h], halves, 2);
                       }
                       std::uint32_t dwords[n_dwords];
                       for (std::size_t g = 0; g < n_dwords; ++g) {
                           std::memcpy(&dwords[g], codes + g * kRows * 4, 4);
                           dwords[g] ^= flip;
                       }
                       std::memcpy(block + shape.codes, dwords, sizeof dwords);
                   });
}

constexpr std::uint32_t kFlip = 0x80808080U;

// Calls move(the file's block, row, the tile's block) for each packed block of each row.
template <class File, class Tile, class Move>
void for_each_packed(const Encoding& encoding, File* rows, std::size_t stride, std::size_t n_rows,
                     int cols, Tile* tile, Move&& move) {
    const std::size_t bytes = encoding.block_bytes;
    for (std::size_t b = 0; b < static_cast<std::size_t>(cols / kSuperBlockValues); ++b) {
        for (std::size_t r = 0; r < n_rows; ++r) {
            move(rows + r * stride + b * bytes, r, tile + b * kRows * bytes);
        }
    }
}

void pack_codes(const Encoding& encoding, const std::byte* rows, std::size_t stride, int n_rows,
                int cols, std::byte* tile) {
    if (encoding.codes == CodeKind::Packed) {
        return for_each_packed(encoding, rows, stride, static_cast<std::size_t>(n_rows), cols, tile,
                               [&](const std::byte* from, std::size_t r, std::byte* to) {
                                   kernels::put_packed_block(encoding.packing, encoding.block_bytes,
                                                             from, r, to);
                               });
    }
    const auto n = static_cast<std::size_t>(n_rows);
    const std::size_t by_four = goes_by_four_rows(encoding) ? n / 4 * 4 : 0;
    constexpr int kAtOnce = 4 * RowPiece::kValues;  // whose tile the first cache holds
    for (int first = 0; first < cols; first += kAtOnce) {
        const std::size_t at = row_bytes(encoding.type, static_cast<std::uint64_t>(first));
        for (std::size_t r = 0; r < by_four; r += 4) {
            put_four_rows(encoding, rows + r * stride + at, stride, std::min(kAtOnce, cols - first),
                          r, tile + kRows * at);
        }
    }
    for_each_piece(encoding, by_four < n ? cols : 0, [&](std::size_t at, int n_values) {
        RowPiece piece;
        for (std::size_t r = by_four; r < n; ++r) {
            take_apart(encoding, rows + r * stride + at, n_values, piece);
            put_in_tile(encoding, piece, n_values, r, tile + kRows * at);
        }
    });
}

void unpack_codes(const Encoding& encoding, const std::byte* tile, std::size_t n_rows, int cols,
                  std::byte* rows) {
    if (encoding.codes == CodeKind::Packed) {
        return for_each_packed(
            encoding, rows, row_bytes(encoding.type, static_cast<std::uint64_t>(cols)), n_rows,
            cols, tile, [&](std::byte* to, std::size_t r, const std::byte* from) {
                kernels::take_packed_block(encoding.packing, encoding.block_bytes, from, r, to);
            });
    }
    if (is_tile_order(encoding)) {
        return encoding.codes == CodeKind::Bits8
                   ? unpack_dwords<8, kFlip>(encoding, tile, n_rows, cols, rows)
                   : unpack_dwords<4, 0>(encoding, tile, n_rows, cols, rows);
    }
    const std::size_t row_size = row_bytes(encoding.type, static_cast<std::uint64_t>(cols));
    for_each_piece(encoding, cols, [&](std::size_t at, int n) {
        RowPiece piece;
        for (std::size_t r = 0; r < n_rows; ++r) {
            take_from_tile(encoding, tile + kRows * at, r, n, piece);
            put_together(encoding, piece, n, rows + r * row_size + at);
        }
    });
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

template <class Value>
void unpack_float_row(DType type, const std::byte* tile, std::size_t r, std::span<float> out) {
    std::array<Value, 256> values;
    for (std::size_t first = 0; first < out.size(); first += values.size()) {
        const std::size_t n = std::min(values.size(), out.size() - first);
        for (std::size_t c = 0; c < n; ++c) {
            std::memcpy(&values[c], tile + ((first + c) * kRows + r) * sizeof(Value),
                        sizeof(Value));
        }
        dequantize_row(type, reinterpret_cast<const std::byte*>(values.data()),
                       out.subspan(first, n));
    }
}

}  // namespace

std::uint64_t packed_bytes(DType type, std::uint64_t rows, std::uint64_t cols) {
    return (rows + kRows - 1) / kRows * kRows * row_bytes(type, cols);
}

void pack_tile(DType type, const std::byte* rows, std::size_t stride, int n_rows, int cols,
               std::byte* tile) {
    const Encoding& encoding = encoding_of(type);
    if (is_float(encoding.codes)) {
        return encoding.block_bytes == 2
                   ? pack_plain<std::uint16_t>(rows, stride, n_rows, cols, tile)
                   : pack_plain<std::uint32_t>(rows, stride, n_rows, cols, tile);
    }
    if (n_rows < kTileRows) {
        std::memset(tile, 0, packed_bytes(type, kRows, static_cast<std::uint64_t>(cols)));
    }
    pack_codes(encoding, rows, stride, n_rows, cols, tile);
}

void pack_tile(DType type, const std::byte* rows, int n_rows, int cols, std::byte* tile) {
    pack_tile(type, rows, row_bytes(type, static_cast<std::uint64_t>(cols)), n_rows, cols, tile);
}

void unpack_tile(DType type, const std::byte* tile, int n_rows, int cols, std::byte* rows) {
    const Encoding& encoding = encoding_of(type);
    const auto n = static_cast<std::size_t>(n_rows);
    if (!is_float(encoding.codes)) {
        unpack_codes(encoding, tile, n, cols, rows);
    } else if (encoding.block_bytes == 2) {
        unpack_halves(tile, n, cols, rows);
    } else {
        unpack_floats(tile, n, cols, rows);
    }
}

void unpack_row(DType type, const std::byte* packed, std::uint64_t row, std::span<float> out) {
    const Encoding& encoding = encoding_of(type);
    const std::byte* tile = packed + row / kRows * packed_bytes(type, kRows, out.size());
    const std::size_t r = row % kRows;
    if (is_float(encoding.codes)) {
        return encoding.block_bytes == 2 ? unpack_float_row<std::uint16_t>(type, tile, r, out)
                                         : unpack_float_row<std::uint32_t>(type, tile, r, out);
    }
    for_each_piece(encoding, static_cast<int>(out.size()), [&](std::size_t at, int n) {
        if (encoding.codes == CodeKind::Packed) {
            std::array<std::byte, kernels::kMostPackedBytes> block;
            kernels::take_packed_block(encoding.packing, encoding.block_bytes, tile + kRows * at, r,
                                       block.data());
            dequantize_row(type, block.data(), out.first(static_cast<std::size_t>(n)));
            out = out.subspan(static_cast<std::size_t>(n));
            return;
        }
        RowPiece piece;
        take_from_tile(encoding, tile + kRows * at, r, n, piece);
        decode(encoding, piece, out.first(static_cast<std::size_t>(n)));
        out = out.subspan(static_cast<std::size_t>(n));
    });
}

}  // namespace hearth
