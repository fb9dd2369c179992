// Converts a file's rows to the tile layout of kernels.h, and a row back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gguf/dtype.h"

namespace hearth {

// Bytes of a packed [rows, cols] matrix: rows rounded up to whole tiles.
std::uint64_t packed_bytes(DType type, std::uint64_t rows, std::uint64_t cols);

// Packs one tile. rows: n_rows (1 to 16) rows as the file has them, `stride` bytes from one to the
// next. Missing rows become zero. tile: packed_bytes(type, 16, cols).
void pack_tile(DType type, const std::byte* rows, std::size_t stride, int n_rows, int cols,
               std::byte* tile);
// The same for rows that lie one after the other.
void pack_tile(DType type, const std::byte* rows, int n_rows, int cols, std::byte* tile);

// Undoes pack_tile(): writes the first n_rows rows of a tile, one after the other.
// rows: n_rows * row_bytes(type, cols).
void unpack_tile(DType type, const std::byte* tile, int n_rows, int cols, std::byte* rows);

// Writes row `row` of a packed matrix and out.size() columns as floats: exactly what
// dequantize_row() gives for the file's row.
void unpack_row(DType type, const std::byte* packed, std::uint64_t row, std::span<float> out);

}  // namespace hearth
