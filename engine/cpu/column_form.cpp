#include "cpu/column_form.h"

#include <array>
#include <cstring>

#include "base/assert.h"
#include "cpu/kernels/kernels.h"
#include "cpu/pack_rows.h"
#include "gguf/encoding.h"
#include "gguf/rows.h"

namespace hearth {
namespace {

using kernels::column_block_bytes;
using kernels::column_bytes;
using kernels::column_form_width;
using kernels::kColumnGroup;
using kernels::kColumnLine;
using kernels::kTileRows;
using kernels::line_byte;

constexpr std::size_t kLineOutputs8 = 64;
constexpr auto kNextFour = static_cast<std::size_t>(line_byte(4) - line_byte(0));

// Turns one block of a row into the unsigned numbers that are stored, and writes its scale to d.
void stored_block(DType type, const std::byte* bytes, std::byte* d, std::uint8_t* q) {
    std::memcpy(d, bytes, 2);
    if (type == DType::Q4_0) {
        for (std::size_t i = 0; i < kBlockValues / 2; ++i) {
            const auto both = static_cast<std::uint8_t>(bytes[2 + i]);
            q[i] = both & 15;
            q[kBlockValues / 2 + i] = static_cast<std::uint8_t>(both >> 4);
        }
        return;
    }
    BlockQ8_0 block;
    if (type == DType::Q5_0) {
        BlockQ5_0 narrow;
        std::memcpy(&narrow, bytes, sizeof narrow);
        block = widened(narrow);
        std::memcpy(d, &block.d, 2);
    } else {
        HEARTH_DCHECK(type == DType::Q8_0);
        std::memcpy(&block, bytes, sizeof block);
    }
    for (std::size_t i = 0; i < kBlockValues; ++i) {
        q[i] = static_cast<std::uint8_t>(128 + block.qs[i]);
    }
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

// The stored numbers of one block of each of the group's rows.
using GroupValues = std::array<std::array<std::uint8_t, kBlockValues>, kColumnGroup>;

// Gathers inputs [input, input + 8) of rows [row, row + 8). Word j holds those of input j.
std::array<std::uint64_t, 8> eight_inputs(const GroupValues& values, std::size_t row,
                                          std::size_t input) {
    std::array<std::uint64_t, 8> words;
    for (std::size_t i = 0; i < 8; ++i) {
        std::memcpy(&words[i], &values[row + i][input], sizeof words[i]);
    }
    transpose_bytes(words);
    return words;
}

// Gathers outputs [0, 8) of a tile, or [8, 16) for half 1. `line` points to the first four.
std::uint64_t eight_outputs(const std::byte* line, std::size_t half) {
    std::uint32_t low;
    std::uint32_t high;
    std::memcpy(&low, line + 2 * half * kNextFour, sizeof low);
    std::memcpy(&high, line + (2 * half + 1) * kNextFour, sizeof high);
    return low | static_cast<std::uint64_t>(high) << 32;
}

}  // namespace

std::uint64_t column_form_bytes(DType type, int rows, int cols) {
    return static_cast<std::uint64_t>(cols / kBlockValues) *
           column_block_bytes(encoding_of(type).codes, column_form_width(rows));
}

void to_column_form(DType type, const std::byte* file_rows, int first, int n_rows, int rows,
                    int cols, std::byte* out) {
    const CodeKind held = encoding_of(held_type(type)).codes;
    const int width = column_form_width(rows);
    const std::size_t column = column_bytes(held, width);
    const std::size_t block_size = column_block_bytes(held, width);
    const std::size_t file_row = row_bytes(type, static_cast<std::uint64_t>(cols));
    const std::size_t file_block = row_bytes(type, kBlockValues);
    const std::size_t group_bytes = column_bytes(held, kColumnGroup);
    const auto group = static_cast<std::size_t>(first / kColumnGroup);
    GroupValues values{};
    for (std::size_t b = 0; b < static_cast<std::size_t>(cols / kBlockValues); ++b) {
        std::byte* block = out + b * block_size;
        std::byte* scales = block + 2 * first;
        std::byte* lines = block + 2 * width + group * group_bytes;
        std::memset(scales, 0, 2 * kColumnGroup);
        for (std::size_t r = 0; r < static_cast<std::size_t>(n_rows); ++r) {
            stored_block(type, file_rows + r * file_row + b * file_block, scales + 2 * r,
                         values[r].data());
        }
        const std::size_t n_lines = held == CodeKind::Bits4 ? 1 : 2;  // of an input
        for (std::size_t line = 0; line < n_lines; ++line) {
            for (std::size_t o = 0; o < kLineOutputs8; o += 8) {
                const auto place = static_cast<std::size_t>(line_byte(static_cast<int>(o)));
                for (std::size_t input = 0; input < kBlockValues; input += 8) {
                    auto words = eight_inputs(values, line * kLineOutputs8 + o, input);
                    if (n_lines == 1) {
                        const auto second = eight_inputs(values, kLineOutputs8 + o, input);
                        for (std::size_t j = 0; j < 8; ++j) {
                            words[j] |= second[j] << 4;
                        }
                    }
                    for (std::size_t j = 0; j < 8; ++j) {
                        // Four outputs, and the next four where line_byte() has them.
                        std::byte* to = lines + (input + j) * column + line * kColumnLine + place;
                        const auto low = static_cast<std::uint32_t>(words[j]);
                        const auto high = static_cast<std::uint32_t>(words[j] >> 32);
                        std::memcpy(to, &low, sizeof low);
                        std::memcpy(to + kNextFour, &high, sizeof high);
                    }
                }
            }
        }
    }
}

void column_form_to_tile(const ColumnMatrix& matrix, int first_row, std::byte* tile) {
    constexpr std::uint64_t kLow = 0x0F0F0F0F0F0F0F0FU;
    constexpr std::size_t kInputsBytes = 4 * kTileRows;  // of four inputs in a tile
    const int width = column_form_width(matrix.rows);
    const CodeKind codes = encoding_of(matrix.type).codes;
    const std::size_t column = column_bytes(codes, width);
    const std::size_t block_size = column_block_bytes(codes, width);
    const bool nibbles = codes == CodeKind::Bits4;
    const std::size_t n_inputs = nibbles ? kBlockValues / 2 : kBlockValues;  // bytes apart
    const auto first = static_cast<std::size_t>(first_row);
    const std::size_t line =
        first / (nibbles ? kColumnGroup : kLineOutputs8) * static_cast<std::size_t>(kColumnLine) +
        static_cast<std::size_t>(line_byte(first_row % static_cast<int>(kLineOutputs8)));
    const unsigned shift = first % kColumnGroup < kLineOutputs8 ? 0 : 4;
    for (std::size_t b = 0; b < static_cast<std::size_t>(matrix.cols / kBlockValues); ++b) {
        const std::byte* block = matrix.data + b * block_size;
        const std::byte* lines = block + 2 * width + line;
        std::memcpy(tile, block + 2 * first, 2 * kTileRows);
        tile += 2 * kTileRows;
        for (std::size_t input = 0; input < n_inputs; input += 8, tile += 2 * kInputsBytes) {
            for (std::size_t half = 0; half < 2; ++half) {
                std::array<std::uint64_t, 8> words;
                for (std::size_t j = 0; j < 8; ++j) {
                    const std::byte* from = lines + (input + j) * column;
                    words[j] = eight_outputs(from, half);
                    if (nibbles) {
                        const std::uint64_t second =
                            eight_outputs(from + kBlockValues / 2 * column, half);
                        words[j] = (words[j] >> shift & kLow) | (second >> shift & kLow) << 4;
                    }
                }
                transpose_bytes(words);
                for (std::size_t r = 0; r < 8; ++r) {
                    std::byte* to = tile + 4 * (8 * half + r);
                    const auto low = static_cast<std::uint32_t>(words[r]);
                    const auto high = static_cast<std::uint32_t>(words[r] >> 32);
                    std::memcpy(to, &low, sizeof low);
                    std::memcpy(to + kInputsBytes, &high, sizeof high);
                }
            }
        }
    }
}

}  // namespace hearth
