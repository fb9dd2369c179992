// Converts rows of a file to rows of a slice in a GPU's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vulkan/matrix.h"

namespace hearth::vulkan {

// Where row `row` lies in each run of a slice. `runs` says where the runs begin.
RowPlaces places_of_row(const MatrixLayout& layout, const RowPlaces& runs, std::uint64_t row);
// Where the runs of a slice that lies at `base` begin.
RowPlaces runs_of(const MatrixLayout& layout, std::byte* base);

// Belongs to one thread.
class RowFitter {
public:
    // Allocates what put() will need for such rows.
    void prepare(const MatrixLayout& layout, std::uint64_t cols);

    // Writes a file's row of `cols` values to a slice that has the columns from first_col on.
    // first_col: a multiple of 32. A row of another type than the slice's is rounded anew.
    void put(DType type, std::uint64_t cols, const std::byte* file_row, std::uint64_t first_col,
             const MatrixLayout& layout, const RowPlaces& to);

private:
    std::vector<std::byte> row_;  // in the slice's type
    std::vector<float> values_;
};

}  // namespace hearth::vulkan
