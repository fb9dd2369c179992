#include "cpu/neuron_rows_to_tile.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "cpu/kernels/kernels.h"
#include "cpu/tile_pieces.h"
#include "gguf/rows.h"

namespace hearth {
namespace {

using kernels::kTileRows;

constexpr std::size_t kRows = kTileRows;
constexpr std::size_t kHalfBlock = kBlockValues / 2;

std::size_t file_bytes(DType type, int cols) {
    return static_cast<std::size_t>(row_bytes(type, static_cast<std::uint64_t>(cols)));
}

// Calls visit(first column, values, bytes from a row's beginning) for each piece of a row.
template <class Visit>
void for_each_piece(DType type, int cols, Visit&& visit) {
    for (int first = 0; first < cols; first += RowPiece::kValues) {
        visit(first, std::min(RowPiece::kValues, cols - first), file_bytes(type, first));
    }
}

template <class Value>
void plain_to_tile(const std::byte* row, int cols, std::size_t r, std::byte* tile) {
    for (std::size_t c = 0; c < static_cast<std::size_t>(cols); ++c) {
        std::memcpy(tile + (c * kRows + r) * sizeof(Value), row + c * sizeof(Value), sizeof(Value));
    }
}

// True where a block is halves and codes in one piece: a tile holds the same, in other places.
bool is_plain(const Encoding& encoding) {
    return encoding.block_values == kBlockValues && half_count(encoding.scales) > 0 &&
           high_bits(encoding.codes) == 0;
}

// The nibbles of block b in the order that a file has: of a group's four blocks, the first two lie
// in the low nibbles of 32 bytes each, the others in the high nibbles of the same bytes.
void take_nibbles(const std::byte* row, std::size_t b, std::byte* nibbles) {
    constexpr std::uint64_t kLow = 0x0F0F0F0F0F0F0F0FU;
    constexpr std::size_t kGroupBlocks = kRowGroup / kBlockValues;
    const std::byte* bytes = row + b / kGroupBlocks * (kRowGroup / 2) + b % 2 * kBlockValues;
    const unsigned shift = b % kGroupBlocks < 2 ? 0 : 4;
    for (std::size_t i = 0; i < kHalfBlock; i += 8) {
        std::uint64_t low = 0;
        std::uint64_t high = 0;
        std::memcpy(&low, bytes + i, sizeof low);
        std::memcpy(&high, bytes + kHalfBlock + i, sizeof high);
        const std::uint64_t both = (low >> shift & kLow) | (high >> shift & kLow) << 4;
        std::memcpy(nibbles + i, &both, sizeof both);
    }
}

// Taking such a row apart and putting it together again costs a batch of a sparse layer a sixth of
// its time.
void codes_to_tile(const Encoding& encoding, const std::byte* row, int cols, std::size_t r,
                   std::byte* tile) {
    const bool nibbles = encoding.codes != CodeKind::Bits8;
    const auto n_blocks = static_cast<std::size_t>(cols / kBlockValues);
    const std::size_t block_codes = nibbles ? kHalfBlock : kBlockValues;
    const int n_halves = half_count(encoding.scales);
    const auto held_blocks = static_cast<std::size_t>(neuron_row_cols(cols) / kBlockValues);
    const std::byte* halves = row + row_code_bytes(encoding.codes, neuron_row_cols(cols));
    for (std::size_t b = 0; b < n_blocks; ++b) {
        std::byte* out = tile + b * kRows * encoding.block_bytes;
        for (int h = 0; h < n_halves; ++h, out += 2 * kRows) {
            std::memcpy(out + 2 * r, halves + 2 * (static_cast<std::size_t>(h) * held_blocks + b),
                        2);
        }
        std::byte low[kHalfBlock];
        const std::byte* codes = row + b * kBlockValues;
        if (nibbles) {
            take_nibbles(row, b, low);
            codes = low;
        }
        for (std::size_t g = 0; g < block_codes / 4; ++g) {
            std::memcpy(out + (g * kRows + r) * 4, codes + 4 * g, 4);
        }
    }
}

}  // namespace

void neuron_rows_to_tile(DType type, const std::byte* rows, std::size_t stride, int n_rows,
                         int cols, std::byte* tile) {
    const Encoding& encoding = encoding_of(type);
    if (n_rows < kTileRows) {
        std::memset(tile, 0, kRows * file_bytes(type, cols));
    }
    for (std::size_t r = 0; r < static_cast<std::size_t>(n_rows); ++r) {
        const std::byte* row = rows + r * stride;
        if (is_plain(encoding)) {
            codes_to_tile(encoding, row, cols, r, tile);
        } else if (!is_float(encoding.codes)) {
            for_each_piece(type, cols, [&](int first, int n, std::size_t at) {
                RowPiece piece;
                take_from_neuron_row(encoding, row, first, n, neuron_row_cols(cols), piece);
                put_in_tile(encoding, piece, n, r, tile + kRows * at);
            });
        } else if (encoding.block_bytes == 2) {
            plain_to_tile<std::uint16_t>(row, cols, r, tile);
        } else {
            plain_to_tile<std::uint32_t>(row, cols, r, tile);
        }
    }
}

}  // namespace hearth
