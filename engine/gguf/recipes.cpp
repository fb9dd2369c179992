#include "gguf/recipes.h"

namespace hearth {

DType type_that_fits(DType wanted, std::uint64_t cols) {
    return cols % dtype_info(wanted).block_values == 0 ? wanted : DType::F16;
}

DType neuron_down_type(DType stored, bool by_neuron, std::uint64_t cols) {
    const Encoding& encoding = encoding_of(stored);
    if (is_float(encoding.codes) || (by_neuron && encoding.by_neuron())) {
        return stored;
    }
    return type_that_fits(DType::Q8_0, cols);
}

bool is_written(DType type) {
    const Encoding* encoding = find_encoding(type);
    return encoding != nullptr && encoding->written;
}

std::string written_types() {
    return encoding_names([](const Encoding& encoding) { return encoding.written; });
}

}  // namespace hearth
