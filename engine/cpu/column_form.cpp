#include "cpu/column_form.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/assert.h"
#include "cpu/kernels/kernels.h"
#include "cpu/pack_rows.h"
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

// What one block of a row stores: a scale and 32 numbers without sign.
struct StoredBlock {
    std::array<std::byte, 2> d;
    std::array<std::uint8_t, kBlockValues> q;
};

StoredBlock stored_block(DType type, const std::byte* bytes) {
    StoredBlock out;
    std::memcpy(out.d.data(), bytes, 2);
    if (type == DType::Q4_0) {
        for (std::size_t i = 0; i < kBlockValues / 2; ++i) {
            const auto both = static_cast<std::uint8_t>(bytes[2 + i]);
            out.q[i] = both & 15;
            out.q[kBlockValues / 2 + i] = static_cast<std::uint8_t>(both >> 4);
        }
        return out;
    }
    BlockQ8_0 block;
    if (type == DType::Q5_0) {
        BlockQ5_0 narrow;
        std::memcpy(&narrow, bytes, sizeof narrow);
        block = widened(narrow);
        std::memcpy(out.d.data(), &block.d, 2);
    } else {
        HEARTH_DCHECK(type == DType::Q8_0);
        std::memcpy(&block, bytes, sizeof block);
    }
    for (std::size_t i = 0; i < kBlockValues; ++i) {
        out.q[i] = static_cast<std::uint8_t>(128 + block.qs[i]);
    }
    return out;
}

// The dwords of 16 outputs in a line: those of place m of each 16 bytes.
std::array<std::uint8_t, kTileRows> outputs_of_line(const std::byte* line, std::size_t m) {
    std::array<std::uint8_t, kTileRows> out;
    for (std::size_t l = 0; l < 4; ++l) {
        std::memcpy(&out[4 * l], line + 16 * l + 4 * m, 4);
    }
    return out;
}

// Four inputs' values of 16 outputs to q[r][j] of a tile.
void interleave(const std::array<std::array<std::uint8_t, kTileRows>, 4>& inputs, std::byte* out) {
    std::array<std::uint8_t, 4 * kTileRows> bytes;
    for (std::size_t r = 0; r < kTileRows; ++r) {
        for (std::size_t j = 0; j < 4; ++j) {
            bytes[4 * r + j] = inputs[j][r];
        }
    }
    std::memcpy(out, bytes.data(), bytes.size());
}

}  // namespace

std::uint64_t column_form_bytes(DType type, int rows, int cols) {
    return static_cast<std::uint64_t>(cols / kBlockValues) *
           column_block_bytes(type, column_form_width(rows));
}

void to_column_form(DType type, const std::byte* file_rows, int first, int n_rows, int rows,
                    int cols, std::byte* out) {
    const DType held = held_type(type);
    const int width = column_form_width(rows);
    const std::size_t column = column_bytes(held, width);
    const std::size_t block_size = column_block_bytes(held, width);
    const std::size_t file_row = row_bytes(type, static_cast<std::uint64_t>(cols));
    const std::size_t file_block = row_bytes(type, kBlockValues);
    const std::size_t group_bytes = column_bytes(held, kColumnGroup);
    const auto group = static_cast<std::size_t>(first / kColumnGroup);
    for (std::size_t b = 0; b < static_cast<std::size_t>(cols / kBlockValues); ++b) {
        std::byte* block = out + b * block_size;
        std::byte* scales = block + 2 * first;
        std::byte* lines = block + 2 * width + group * group_bytes;
        std::memset(scales, 0, 2 * kColumnGroup);
        for (std::size_t j = 0; j < kBlockValues; ++j) {
            std::memset(lines + j * column, 0, group_bytes);
        }
        for (std::size_t r = 0; r < static_cast<std::size_t>(n_rows); ++r) {
            const StoredBlock values =
                stored_block(type, file_rows + r * file_row + b * file_block);
            std::memcpy(scales + 2 * r, values.d.data(), 2);
            const auto place =
                static_cast<std::size_t>(line_byte(static_cast<int>(r % kLineOutputs8)));
            const std::size_t second = r / kLineOutputs8;  // half of the group
            for (std::size_t j = 0; j < kBlockValues; ++j) {
                if (held == DType::Q4_0) {
                    lines[j * column + place] |=
                        static_cast<std::byte>(values.q[j] << (4 * second));
                } else {
                    lines[j * column + second * kColumnLine + place] =
                        static_cast<std::byte>(values.q[j]);
                }
            }
        }
    }
}

void column_form_to_tile(const ColumnMatrix& matrix, int first_row, std::byte* tile) {
    const int width = column_form_width(matrix.rows);
    const std::size_t column = column_bytes(matrix.type, width);
    const std::size_t block_size = column_block_bytes(matrix.type, width);
    const bool nibbles = matrix.type == DType::Q4_0;
    const auto first = static_cast<std::size_t>(first_row);
    const std::size_t line =
        first / (nibbles ? kColumnGroup : kLineOutputs8) * static_cast<std::size_t>(kColumnLine);
    const std::size_t m = first % kLineOutputs8 / kTileRows;
    const unsigned shift = first % kColumnGroup < kLineOutputs8 ? 0 : 4;
    for (std::size_t b = 0; b < static_cast<std::size_t>(matrix.cols / kBlockValues); ++b) {
        const std::byte* block = matrix.data + b * block_size;
        const std::byte* lines = block + 2 * width + line;
        std::memcpy(tile, block + 2 * first, 2 * kTileRows);
        tile += 2 * kTileRows;
        const auto outputs = [&](std::size_t input) {
            return outputs_of_line(lines + input * column, m);
        };
        for (std::size_t g = 0; g < (nibbles ? 4U : 8U); ++g) {
            std::array<std::array<std::uint8_t, kTileRows>, 4> inputs;
            for (std::size_t j = 0; j < 4; ++j) {
                inputs[j] = outputs(4 * g + j);
                if (nibbles) {
                    const auto high = outputs(kBlockValues / 2 + 4 * g + j);
                    for (std::size_t r = 0; r < kTileRows; ++r) {
                        inputs[j][r] = static_cast<std::uint8_t>((inputs[j][r] >> shift & 15) |
                                                                 (high[r] >> shift & 15) << 4);
                    }
                }
            }
            interleave(inputs, tile);
            tile += 4 * kTileRows;
        }
    }
}

}  // namespace hearth
