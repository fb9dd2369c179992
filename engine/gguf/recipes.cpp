#include "gguf/recipes.h"

namespace hearth {

DType type_that_fits(DType wanted, std::uint64_t cols) {
    return cols % dtype_info(wanted).block_values == 0 ? wanted : DType::F16;
}

DType neuron_down_type(DType stored, bool by_neuron, std::uint64_t cols) {
    const bool keeps = by_neuron || is_float(encoding_of(stored).codes);
    return keeps ? stored : type_that_fits(DType::Q8_0, cols);
}

bool is_written(DType type) {
    const Encoding* encoding = find_encoding(type);
    return encoding != nullptr && encoding->written;
}

std::string written_types() {
    return encoding_names([](const Encoding& encoding) { return encoding.written; });
}

}  // namespace hearth
