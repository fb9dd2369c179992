// Rows as files have them to rows as slices have them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vulkan/matrix.h"

namespace hearth::vulkan {

// Where row `row` of a slice's runs lies, each run beginning where `runs` says.
RowPlaces places_of_row(const MatrixLayout& layout, const RowPlaces& runs, std::uint64_t row);
// Runs as they lie in the slice itself, from `base` on.
RowPlaces runs_of(const MatrixLayout& layout, std::byte* base);

// One thread's.
class RowFitter {
public:
    // Takes what put() will need for such rows.
    void prepare(const MatrixLayout& layout, std::uint64_t cols);

    // A file's row of `cols` values, of which the slice has those from first_col on, a multiple of
    // 32. What is of another type than the slice is rounded anew.
    void put(DType type, std::uint64_t cols, const std::byte* file_row, std::uint64_t first_col,
             const MatrixLayout& layout, const RowPlaces& to);

private:
    std::vector<std::byte> row_;  // in the slice's type
    std::vector<float> values_;
};

}  // namespace hearth::vulkan
