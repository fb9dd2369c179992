#include "model/stored_rows.h"

#include <vector>

#include "gguf/finite.h"
#include "gguf/row_form.h"

namespace hearth {

std::uint64_t stored_row_bytes(DType type, std::uint64_t cols, bool in_row_form) {
    return in_row_form ? row_form_bytes(type, static_cast<int>(cols)) : row_bytes(type, cols);
}

std::uint64_t stored_row_bytes(const Weight& weight) {
    return stored_row_bytes(weight.type, weight.cols, weight.in_row_form);
}

const std::byte* file_row(const Weight& weight, const std::byte* stored, std::byte* room) {
    if (!weight.in_row_form) {
        return stored;
    }
    from_row_form(weight.type, stored, static_cast<int>(weight.cols), room);
    return room;
}

Result<void> check_finite(const Weight& weight, const std::byte* rows, std::uint64_t n_rows,
                          std::uint64_t stride,
                          const std::function<std::uint64_t(std::uint64_t i)>& row_number) {
    const auto finite = weight.in_row_form ? row_forms_are_finite : rows_are_finite;
    if (finite(weight.type, rows, n_rows, stride, weight.cols)) {
        return {};
    }
    std::uint64_t i = 0;
    while (finite(weight.type, rows + i * stride, 1, stride, weight.cols)) {
        ++i;
    }
    Weight padded = weight;
    if (weight.in_row_form) {
        padded.cols = static_cast<std::uint64_t>(row_form_cols(static_cast<int>(weight.cols)));
    }
    std::vector<std::byte> room(padded.row_size());
    return rows_not_finite(weight.tensor->name, weight.type,
                           file_row(padded, rows + i * stride, room.data()), 1, padded.row_size(),
                           padded.cols, row_number(i));
}

}  // namespace hearth
