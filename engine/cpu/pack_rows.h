// File rows to the tile layout of kernels.h, and a row back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gguf/blocks.h"
#include "gguf/dtype.h"

namespace hearth {

// The type a matrix of a file's type is held as: Q8_0 for Q5_0, whose scale and whole numbers it
// holds exactly; every other type as itself. Only pack_tile() and packed_bytes() take a file's.
DType held_type(DType file_type);
BlockQ8_0 widened(const BlockQ5_0& block);

// Bytes of a packed [rows, cols] matrix: rows rounded up to whole tiles.
std::uint64_t packed_bytes(DType type, std::uint64_t rows, std::uint64_t cols);

// One tile. rows: n_rows (1 to 16) rows as the file has them, `stride` bytes from one to the next;
// missing rows become zero. tile: packed_bytes(type, 16, cols).
void pack_tile(DType type, const std::byte* rows, std::size_t stride, int n_rows, int cols,
               std::byte* tile);
// The same of rows one after the other.
void pack_tile(DType type, const std::byte* rows, int n_rows, int cols, std::byte* tile);

// What pack_tile() took, as held_type() has it: the first n_rows rows of a tile of a held type, one
// after the other. rows: n_rows * row_bytes(type, cols).
void unpack_tile(DType type, const std::byte* tile, int n_rows, int cols, std::byte* rows);

// Row `row` of a packed matrix of a held type and out.size() columns, as floats: exactly what
// dequantize_row() gives for the file's row.
void unpack_row(DType type, const std::byte* packed, std::uint64_t row, std::span<float> out);

}  // namespace hearth
