#include "vulkan/matrix.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <type_traits>

#include "base/assert.h"
#include "gguf/code_bits.h"
#include "gguf/packed_block.h"
#include "gguf/row_piece.h"
#include "gguf/six_bits.h"
#include "include/params.h"

namespace hearth::vulkan {
namespace {

constexpr std::uint64_t words_of(std::uint64_t bytes) {
    return (bytes + 3) / 4 * 4;
}
constexpr std::uint64_t aligned(std::uint64_t bytes) {
    return (bytes + 15) / 16 * 16;
}

// The 32 values of one block: low bits as a file's blocks of 32 have them, high bits side by side
// in the order of the values.
void put_codes(CodeKind kind, const std::uint8_t* codes, std::byte* low, std::byte* high) {
    const auto bits = static_cast<unsigned>(high_bits(kind));
    code_bits::join_low(codes, kBlockColumns / 2, low);
    if (bits == 0) {
        return;
    }
    if (bits == 1) {
        code_bits::join_bits(codes, kBlockColumns, high);
        return;
    }
    for (std::size_t i = 0; i < kBlockColumns; i += 8 / bits) {
        unsigned byte = 0;
        for (unsigned k = 0; k < 8 / bits; ++k) {
            byte |= static_cast<unsigned>(codes[i + k] >> 4) << bits * k;
        }
        *high++ = static_cast<std::byte>(byte);
    }
}

// Bytes of the scales of 32 columns, and of what a file's block has in common.
int scale_bytes(ScaleKind kind) {
    return kind == ScaleKind::None || has_six_bits(kind) ? 0 : kind == ScaleKind::Power ? 1 : 2;
}
int block_scale_bytes(ScaleKind kind) {
    return has_six_bits(kind) ? half_count(kind) * static_cast<int>(2 + sizeof(SixBits))
           : kind == ScaleKind::Bytes16 || has_minimum(kind) ? 2
                                                             : 0;
}

// The halves and the six bits of a block of 256, as weights.glsl has them.
void put_six_bits(const Encoding& encoding, const RowPiece& piece, std::byte* words) {
    const int n = half_count(encoding.scales);
    SixBits six[2];
    for (int i = 0; i < n; ++i) {
        six[i] = join_six_bits(piece.scales + i, 2, six_zero(encoding.scales));
        code_bits::store(words + 2 * i, piece.halves[i][0]);
    }
    std::byte* to = words + 2 * n;
    for (int i = 0; i < n; ++i, to += sizeof six[i].high) {
        std::memcpy(to, six[i].high, sizeof six[i].high);
    }
    for (int i = 0; i < n; ++i, to += sizeof six[i].low) {
        std::memcpy(to, six[i].low, sizeof six[i].low);
    }
}

// A packed block without its halves, which lie before or behind the rest: whole words.
struct Body {
    std::size_t at, size;
};
Body body_of(const Encoding& encoding) {
    const auto halves = static_cast<std::size_t>(encoding.n_halves()) * 2;
    return {encoding.shape.halves[0] == 0 ? halves : 0, encoding.block_bytes - halves};
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
        case 1:
            return copy(std::integral_constant<std::size_t, 1>());
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

bool has_matrix_layout(DType type) {
    const Encoding* encoding = find_encoding(type);
    return encoding != nullptr && encoding->has(Layout::GpuMatrix);
}

std::span<const std::byte> listed_patterns(DType type) {
    const Encoding& encoding = encoding_of(type);
    if (encoding.codes != CodeKind::Packed) {
        return {};
    }
    std::size_t n_words = 0;
    const std::uint32_t* words = packed_patterns(encoding.packing, n_words);
    return std::as_bytes(std::span(words, n_words));
}

bool keeps_patterns(const MatrixLayout& layout) {
    return encoding_of(layout.type).codes == CodeKind::Packed;
}

const GpuMatrix::Slice& slice_of(const GpuMatrix& matrix, std::uint64_t row) {
    const auto after =
        std::find_if(matrix.slices.begin(), matrix.slices.end(),
                     [&](const GpuMatrix::Slice& slice) { return slice.first_row > row; });
    HEARTH_ASSERT(after != matrix.slices.begin());
    return *(after - 1);
}

bool is_quantized(DType type) {
    return has_matrix_layout(type) && !is_float(encoding_of(type).codes);
}

MatrixLayout::MatrixLayout(DType of, std::uint64_t n_rows, std::uint64_t cols)
    : type(of), rows(n_rows), blocks(cols / kBlockColumns) {
    const std::uint64_t file_block = dtype_info(type).block_values;
    HEARTH_ASSERT(has_matrix_layout(type) && cols % kBlockColumns == 0 && cols % file_block == 0);
    const Encoding& encoding = encoding_of(type);
    const auto row = [](std::uint64_t count, int each) {
        return words_of(count * static_cast<std::uint64_t>(each));
    };
    if (encoding.codes == CodeKind::Packed) {
        quads.row_bytes = row(cols / file_block, static_cast<int>(body_of(encoding).size));
        supers.row_bytes = row(cols / file_block, 2 * encoding.n_halves());
        // The list of patterns, a part of it a row.
        const std::uint64_t listed = listed_patterns(type).size();
        high.row_bytes = rows == 0 ? 0 : words_of((listed + rows - 1) / rows);
    } else {
        quads.row_bytes = row(blocks, kBlockColumns / 8 * low_bits(encoding.codes));
        high.row_bytes = row(blocks, kBlockColumns / 8 * high_bits(encoding.codes));
        scales.row_bytes = row(blocks, scale_bytes(encoding.scales));
        supers.row_bytes = row(cols / file_block, block_scale_bytes(encoding.scales));
    }
    for (Run* run : {&quads, &high, &scales, &supers}) {
        run->at = bytes;
        bytes += aligned(rows * run->row_bytes);
    }
}

std::uint64_t MatrixLayout::row_loads() const {
    return encoding_of(type).codes == CodeKind::Packed ? blocks : quads.row_bytes / 16;
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

RunPlaces places_of_row(const MatrixLayout& layout, const RunPlaces& runs, std::uint64_t row) {
    return {runs.quads + row * layout.quads.row_bytes, runs.high + row * layout.high.row_bytes,
            runs.scales + row * layout.scales.row_bytes,
            runs.supers + row * layout.supers.row_bytes, runs.row + row};
}

RunPlaces runs_of(const MatrixLayout& layout, std::byte* base) {
    return {base + layout.quads.at, base + layout.high.at, base + layout.scales.at,
            base + layout.supers.at, 0};
}

void put_in_runs(const MatrixLayout& layout, const std::byte* file_row, std::uint64_t first_col,
                 const RunPlaces& to) {
    const Encoding& encoding = encoding_of(layout.type);
    const DTypeInfo& file = dtype_info(layout.type);
    // What padding there is lies in the last words.
    std::memset(to.scales, 0, layout.scales.row_bytes);
    std::memset(to.supers, 0, layout.supers.row_bytes);
    if (file.block_values <= kBlockColumns) {
        const std::size_t each = kBlockColumns / file.block_values * file.block_bytes;
        const std::byte* from = file_row + first_col / kBlockColumns * each;
        const BlockShape shape = encoding.shape;
        const auto run = [&](std::uint8_t at, int bytes, std::byte* out) {
            gather(from + (at == BlockShape::kNone ? 0 : at), each, layout.blocks,
                   static_cast<std::size_t>(bytes), out);
        };
        run(half_count(encoding.scales) > 0 ? shape.halves[0] : shape.scales,
            scale_bytes(encoding.scales), to.scales);
        run(shape.halves[1], block_scale_bytes(encoding.scales), to.supers);
        run(shape.high, kBlockColumns / 8 * high_bits(encoding.codes), to.high);
        run(shape.codes, kBlockColumns / 8 * low_bits(encoding.codes), to.quads);
        return;
    }
    if (encoding.codes == CodeKind::Packed) {
        HEARTH_ASSERT(first_col % file.block_values == 0);
        const std::byte* from = file_row + first_col / file.block_values * file.block_bytes;
        const std::uint64_t n = layout.blocks * kBlockColumns / file.block_values;
        const auto list = listed_patterns(layout.type);
        const std::uint64_t listed =
            std::min<std::uint64_t>(list.size(), to.row * layout.high.row_bytes);
        const std::uint64_t more =
            std::min<std::uint64_t>(list.size() - listed, layout.high.row_bytes);
        std::memset(to.high, 0, layout.high.row_bytes);
        std::copy_n(list.data() + listed, more, to.high);
        const Body body = body_of(encoding);
        gather(from + body.at, file.block_bytes, n, body.size, to.quads);
        if (encoding.n_halves() > 0) {
            gather(from + encoding.shape.halves[0], file.block_bytes, n,
                   static_cast<std::size_t>(2 * encoding.n_halves()), to.supers);
        }
        return;
    }
    // Blocks of 256, of which a slice may begin inside.
    HEARTH_ASSERT(low_bits(encoding.codes) == 4);
    const bool six = has_six_bits(encoding.scales);
    const auto super_bytes = static_cast<std::uint64_t>(block_scale_bytes(encoding.scales));
    constexpr std::uint64_t kInFile = RowPiece::kValues / kBlockColumns;
    RowPiece piece;
    for (std::uint64_t b = 0; b < layout.blocks; ++b) {
        const std::uint64_t at = first_col / kBlockColumns + b;
        if (b == 0 || at % kInFile == 0) {
            hearth::take_apart(encoding, file_row + at / kInFile * file.block_bytes,
                               RowPiece::kValues, piece);
        }
        const std::uint64_t j = at % kInFile;
        put_codes(encoding.codes, piece.codes + j * kBlockColumns, to.quads + b * 16,
                  to.high + b * (layout.high.row_bytes / layout.blocks));
        if (six) {
            put_six_bits(encoding, piece, to.supers + b / kInFile * super_bytes);
        } else {
            std::memcpy(to.scales + b * 2, piece.scales + 2 * j, 2);
            std::memcpy(to.supers + b / kInFile * 2, piece.halves[0], 2);
        }
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
