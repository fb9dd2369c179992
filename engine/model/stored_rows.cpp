#include "model/stored_rows.h"

#include <vector>

#include "gguf/convert_neuron_row.h"
#include "gguf/finite.h"

namespace hearth {

std::uint64_t stored_row_bytes(DType type, std::uint64_t cols, bool in_neuron_rows) {
    return in_neuron_rows ? neuron_row_bytes(type, static_cast<int>(cols)) : row_bytes(type, cols);
}

std::uint64_t stored_row_bytes(const Weight& weight) {
    return stored_row_bytes(weight.type, weight.cols, weight.in_neuron_rows);
}

const std::byte* file_row(const Weight& weight, const std::byte* stored, std::byte* room) {
    if (!weight.in_neuron_rows) {
        return stored;
    }
    from_neuron_row(weight.type, stored, static_cast<int>(weight.cols), room);
    return room;
}

Result<void> check_finite(const Weight& weight, const std::byte* rows, std::uint64_t n_rows,
                          std::uint64_t stride,
                          const std::function<std::uint64_t(std::uint64_t i)>& row_number) {
    const auto finite = weight.in_neuron_rows ? neuron_rows_are_finite : rows_are_finite;
    if (finite(weight.type, rows, n_rows, stride, weight.cols)) {
        return {};
    }
    std::uint64_t i = 0;
    while (finite(weight.type, rows + i * stride, 1, stride, weight.cols)) {
        ++i;
    }
    Weight padded = weight;
    if (weight.in_neuron_rows) {
        padded.cols = static_cast<std::uint64_t>(neuron_row_cols(static_cast<int>(weight.cols)));
    }
    std::vector<std::byte> room(padded.row_size());
    return rows_not_finite(weight.tensor->name, weight.type,
                           file_row(padded, rows + i * stride, room.data()), 1, padded.row_size(),
                           padded.cols, row_number(i));
}

}  // namespace hearth
