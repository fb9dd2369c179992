// Converts a file's rows to neuron rows (neuron_row.h) and back.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gguf/neuron_row.h"
#include "gguf/row_piece.h"

namespace hearth {

// Bytes of one row of `cols` values of a type as a neuron row, padding included. cols: a
// multiple of the type's block.
std::size_t neuron_row_bytes(DType type, int cols);

// Converts one row of the file to a neuron row, padding included.
void to_neuron_row(DType type, const std::byte* file_row, int cols, std::byte* out);

// Converts one neuron row back to the file's row.
// file_row: row_bytes(type, cols).
void from_neuron_row(DType type, const std::byte* row, int cols, std::byte* file_row);

// Takes n values from column `first` on, a multiple of 256, out of a row of neuron_row_cols()
// columns.
void take_from_neuron_row(const Encoding& encoding, const std::byte* row, int first, int n,
                          int cols, RowPiece& piece);

// 128 codes of a row or of an input. `low`: their low four bits, or all eight of Bits8; `high`: the
// bits above, 16 bytes for each bit that lies apart.
void put_low(CodeKind kind, const std::uint8_t* codes, std::byte* low);
void put_high(CodeKind kind, const std::uint8_t* codes, std::byte* high);

}  // namespace hearth
