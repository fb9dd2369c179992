#include "vulkan/row_fitter.h"

#include <algorithm>
#include <span>

#include "gguf/rows.h"

namespace hearth::vulkan {

RowPlaces places_of_row(const MatrixLayout& layout, const RowPlaces& runs, std::uint64_t row) {
    return {runs.quads + row * layout.quads.row_bytes, runs.high + row * layout.high.row_bytes,
            runs.scales + row * layout.scales.row_bytes,
            runs.supers + row * layout.supers.row_bytes};
}

RowPlaces runs_of(const MatrixLayout& layout, std::byte* base) {
    return {base + layout.quads.at, base + layout.high.at, base + layout.scales.at,
            base + layout.supers.at};
}

void RowFitter::prepare(const MatrixLayout& layout, std::uint64_t cols) {
    values_.resize(std::max<std::size_t>(values_.size(), cols));
    row_.resize(
        std::max<std::size_t>(row_.size(), row_bytes(layout.type, layout.blocks * kBlockColumns)));
}

void RowFitter::put(DType type, std::uint64_t cols, const std::byte* file_row,
                    std::uint64_t first_col, const MatrixLayout& layout, const RowPlaces& to) {
    std::uint64_t first_block = first_col / kBlockColumns;
    if (type != layout.type) {
        const std::span values(values_.data(), cols);
        dequantize_row(type, file_row, values);
        quantize_row(layout.type, values.subspan(first_col, layout.blocks * kBlockColumns),
                     row_.data());
        file_row = row_.data();
        first_block = 0;
    }
    take_apart(layout, file_row, first_block, to);
}

}  // namespace hearth::vulkan
