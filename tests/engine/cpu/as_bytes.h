// The same numbers with codes of 8 bits: quantised rows with one scale for 32 values, rewritten as
// Q8_0. Nothing is rounded.
#pragma once

#include <cstddef>
#include <vector>

#include "gguf/row_piece.h"
#include "gguf/rows.h"

namespace hearth::test {

inline std::vector<std::byte> as_bytes(const Encoding& encoding,
                                       const std::vector<std::byte>& rows) {
    const Encoding& bytes = encoding_of(DType::Q8_0);
    const std::size_t n_blocks = rows.size() / encoding.block_bytes;
    std::vector<std::byte> wide(n_blocks * bytes.block_bytes);
    RowPiece piece;
    for (std::size_t b = 0; b < n_blocks; ++b) {
        take_apart(encoding, &rows[b * encoding.block_bytes], kBlockValues, piece);
        for (int i = 0; i < kBlockValues; ++i) {
            piece.codes[i] = static_cast<std::uint8_t>(piece.codes[i] - encoding.stored_zero() +
                                                       bytes.stored_zero());
        }
        put_together(bytes, piece, kBlockValues, &wide[b * bytes.block_bytes]);
    }
    return wide;
}

// Whose sums are those of the same numbers in Q8_0, to the last bit.
inline bool sums_like_bytes(const Encoding& encoding) {
    return encoding.codes == CodeKind::Bits5 && encoding.scales == ScaleKind::Half;
}

}  // namespace hearth::test
