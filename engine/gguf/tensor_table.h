// What tensors a file says it has. Shapes are outermost first: [rows, cols].
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_map.h"
#include "gguf/dtype.h"

namespace hearth {

struct TensorInfo {
    std::string name;
    std::vector<std::uint64_t> shape;  // 1 to 4 numbers, outermost first; the last is contiguous
    DType type = DType::F32;
    std::uint64_t offset = 0;  // from the start of the file
    std::uint64_t bytes = 0;

    std::uint64_t cols() const { return shape.back(); }
    // All dimensions but the last, multiplied; the reader checked that nothing overflows.
    std::uint64_t rows() const {
        std::uint64_t product = 1;
        for (std::size_t i = 0; i + 1 < shape.size(); ++i) {
            product *= shape[i];
        }
        return product;
    }
    std::uint64_t values() const { return rows() * cols(); }
};

// Names are unique; order is the file's. Pointers stay valid as long as the table lives and
// nothing is added.
class TensorTable {
public:
    bool add(TensorInfo tensor);  // false: the name is taken
    const TensorInfo* find(std::string_view name) const;
    const std::vector<TensorInfo>& entries() const { return entries_; }

private:
    std::vector<TensorInfo> entries_;
    StringMap<std::size_t> by_name_;
};

}  // namespace hearth
