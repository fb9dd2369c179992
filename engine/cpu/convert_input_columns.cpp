#include "cpu/convert_input_columns.h"

#include <array>
#include <cstring>

#include "base/assert.h"
#include "cpu/kernels/kernels.h"
#include "gguf/convert_neuron_row.h"
#include "gguf/rows.h"

namespace hearth {
namespace {

using kernels::column_block_bytes;
using kernels::column_bytes;
using kernels::column_high_bytes;
using kernels::input_column_width;
using kernels::kColumnGroup;
using kernels::kColumnLine;
using kernels::kTileRows;
using kernels::line_byte;

constexpr std::size_t kLineOutputs8 = 64;
constexpr auto kNextFour = static_cast<std::size_t>(line_byte(4) - line_byte(0));

std::uint64_t load_u64(const void* from) {
    std::uint64_t word;
    std::memcpy(&word, from, sizeof word);
    return word;
}

// Writes the two halves of a word where they belong: four bytes each.
void store_halves(std::uint64_t word, void* first, void* second) {
    const auto low = static_cast<std::uint32_t>(word);
    const auto high = static_cast<std::uint32_t>(word >> 32);
    std::memcpy(first, &low, sizeof low);
    std::memcpy(second, &high, sizeof high);
}

// For each pair of words that lie `distance` apart: swaps the upper half of each run of 2 * bits in
// the one with the lower half in the other.
void swap_halves(std::array<std::uint64_t, 8>& words, std::size_t distance, unsigned bits,
                 std::uint64_t lower) {
    for (std::size_t i = 0; i < 8; ++i) {
        if ((i & distance) == 0) {
            std::uint64_t& a = words[i];
            std::uint64_t& b = words[i + distance];
            const std::uint64_t moved = (a >> bits ^ b) & lower;
            a ^= moved << bits;
            b ^= moved;
        }
    }
}

// Swaps byte i of word j with byte j of word i.
void transpose_bytes(std::array<std::uint64_t, 8>& words) {
    swap_halves(words, 1, 8, 0x00FF00FF00FF00FFU);
    swap_halves(words, 2, 16, 0x0000FFFF0000FFFFU);
    swap_halves(words, 4, 32, 0x00000000FFFFFFFFU);
}

// The codes of 32 inputs and of 128 outputs, first by output, as rows of the file have them.
using GroupRows = std::array<std::array<std::uint8_t, kBlockValues>, kColumnGroup>;
using GroupColumns = std::array<std::array<std::uint8_t, kColumnGroup>, kBlockValues>;

void turn(const GroupRows& rows, GroupColumns& columns) {
    for (std::size_t o = 0; o < kColumnGroup; o += 8) {
        for (std::size_t input = 0; input < kBlockValues; input += 8) {
            std::array<std::uint64_t, 8> words;
            for (std::size_t i = 0; i < 8; ++i) {
                words[i] = load_u64(&rows[o + i][input]);
            }
            transpose_bytes(words);
            for (std::size_t i = 0; i < 8; ++i) {
                std::memcpy(&columns[input + i][o], &words[i], sizeof words[i]);
            }
        }
    }
}

// Puts 128 outputs in the order of lines.
void order_as_lines(const std::array<std::uint8_t, kColumnGroup>& codes,
                    std::array<std::uint8_t, kColumnGroup>& ordered) {
    for (std::size_t o = 0; o < kColumnGroup; o += 8) {
        const std::size_t place =
            o / kLineOutputs8 * kLineOutputs8 +
            static_cast<std::size_t>(line_byte(static_cast<int>(o % kLineOutputs8)));
        store_halves(load_u64(&codes[o]), &ordered[place], &ordered[place + kNextFour]);
    }
}

// Gathers outputs [0, 8) of a tile, or [8, 16) for half 1. `line` points to the first four.
std::uint64_t eight_outputs(const std::byte* line, std::size_t half) {
    std::uint32_t low;
    std::uint32_t high;
    std::memcpy(&low, line + 2 * half * kNextFour, sizeof low);
    std::memcpy(&high, line + (2 * half + 1) * kNextFour, sizeof high);
    return low | static_cast<std::uint64_t>(high) << 32;
}

// The places of the parts of a block of 32 inputs.
struct Places {
    Places(DType type, int rows)
        : encoding(encoding_of(type)), width(static_cast<std::size_t>(input_column_width(rows))) {
        HEARTH_DCHECK(encoding.has(Layout::InputColumn));
        const int outputs = input_column_width(rows);
        column = column_bytes(encoding.codes, outputs);
        high_column = column_high_bytes(encoding.codes, outputs);
        block = column_block_bytes(encoding.codes, outputs);
        lines = 2 * width;
        high = lines + kBlockValues * column;
    }
    const Encoding& encoding;
    std::size_t width;
    std::size_t column;       // bytes of an input's lines
    std::size_t high_column;  // and of its high bits
    std::size_t block;
    std::size_t lines;  // from the block's beginning
    std::size_t high;
};

}  // namespace

std::uint64_t input_column_bytes(DType type, int rows, int cols) {
    return static_cast<std::uint64_t>(cols / kBlockValues) * Places(type, rows).block;
}

void to_input_columns(DType type, const std::byte* file_rows, int first, int n_rows, int rows,
                      int cols, std::byte* out) {
    const Places places(type, rows);
    const CodeKind kind = places.encoding.codes;
    const std::size_t file_row = row_bytes(type, static_cast<std::uint64_t>(cols));
    const auto group = static_cast<std::size_t>(first / kColumnGroup);
    const std::size_t groups = places.width / kColumnGroup;
    GroupRows group_rows{};
    GroupColumns columns;
    RowPiece piece;
    for (std::size_t b = 0; b < static_cast<std::size_t>(cols / kBlockValues); ++b) {
        std::byte* block = out + b * places.block;
        std::byte* scales = block + 2 * first;
        std::memset(scales, 0, 2 * kColumnGroup);
        for (std::size_t r = 0; r < static_cast<std::size_t>(n_rows); ++r) {
            const std::byte* from = file_rows + r * file_row + b * places.encoding.block_bytes;
            take_apart(places.encoding, from, kBlockValues, piece);
            std::memcpy(scales + 2 * r, piece.halves[0], 2);
            std::memcpy(group_rows[r].data(), piece.codes, kBlockValues);
        }
        turn(group_rows, columns);
        for (std::size_t input = 0; input < kBlockValues; ++input) {
            std::array<std::uint8_t, kColumnGroup> ordered;
            order_as_lines(columns[input], ordered);
            put_low(
                kind, ordered.data(),
                block + places.lines + input * places.column + group * (places.column / groups));
            put_high(kind, columns[input].data(),
                     block + places.high + input * places.high_column +
                         group * (places.high_column / groups));
        }
    }
}

void input_columns_to_tile(const ColumnMatrix& matrix, int first_row, std::byte* tile) {
    constexpr std::uint64_t kLow = 0x0F0F0F0F0F0F0F0FU;
    constexpr std::uint64_t kLowest = 0x0101010101010101U;
    constexpr std::size_t kInputsBytes = 4 * kTileRows;  // of four inputs in a tile
    const Places places(matrix.type, matrix.rows);
    const bool nibbles = places.encoding.codes != CodeKind::Bits8;
    const std::size_t n_inputs = nibbles ? kBlockValues / 2 : kBlockValues;  // bytes apart
    const auto first = static_cast<std::size_t>(first_row);
    const std::size_t in_group = first % kColumnGroup;
    const std::size_t line =
        first / (nibbles ? kColumnGroup : kLineOutputs8) * static_cast<std::size_t>(kColumnLine) +
        static_cast<std::size_t>(line_byte(first_row % static_cast<int>(kLineOutputs8)));
    const unsigned shift = in_group < kLineOutputs8 ? 0 : 4;
    for (std::size_t b = 0; b < static_cast<std::size_t>(matrix.cols / kBlockValues); ++b) {
        const std::byte* block = matrix.data + b * places.block;
        const std::byte* lines = block + places.lines + line;
        std::memcpy(tile, block + 2 * first, 2 * kTileRows);
        tile += 2 * kTileRows;
        for (std::size_t input = 0; input < n_inputs; input += 8, tile += 2 * kInputsBytes) {
            for (std::size_t half = 0; half < 2; ++half) {
                std::array<std::uint64_t, 8> words;
                for (std::size_t j = 0; j < 8; ++j) {
                    const std::byte* from = lines + (input + j) * places.column;
                    words[j] = eight_outputs(from, half);
                    if (nibbles) {
                        const std::uint64_t second =
                            eight_outputs(from + kBlockValues / 2 * places.column, half);
                        words[j] = (words[j] >> shift & kLow) | (second >> shift & kLow) << 4;
                    }
                }
                transpose_bytes(words);
                for (std::size_t r = 0; r < 8; ++r) {
                    std::byte* to = tile + 4 * (8 * half + r);
                    store_halves(words[r], to, to + kInputsBytes);
                }
            }
        }
        // Of 16 outputs a byte of an input's bits has one each, and the outputs' dwords in the tile
        // have bit 4 m + j of input 4 m + j: a transposition of bytes again, of words that gather
        // the bits of every fourth input.
        for (std::size_t half = 0; half < 2 && places.high_column != 0; ++half) {
            std::array<std::uint64_t, 8> words{};
            const std::byte* bits = block + places.high + first / kColumnGroup * 16 + 8 * half;
            for (std::size_t input = 0; input < kBlockValues; ++input) {
                const std::uint64_t outputs = load_u64(bits + input * places.high_column);
                words[input % 4] |= (outputs >> in_group / 16 & kLowest) << input / 4;
            }
            transpose_bytes(words);
            for (std::size_t r = 0; r < 8; ++r) {
                std::memcpy(tile + 4 * (8 * half + r), &words[r], 4);
            }
        }
        if (places.high_column != 0) {
            tile += kInputsBytes;
        }
    }
}

}  // namespace hearth
