#include "gguf/recipes.h"

namespace hearth {

DType type_that_fits(DType wanted, std::uint64_t cols) {
    const auto fits = [cols](DType type) { return cols % dtype_info(type).block_values == 0; };
    if (fits(wanted)) {
        return wanted;
    }
    const DType shorter = wanted == DType::Q4_K   ? DType::Q5_0
                          : wanted == DType::Q5_K ? DType::Q5_1
                          : wanted == DType::Q6_K ? DType::Q8_0
                                                  : DType::F16;
    return fits(shorter) ? shorter : DType::F16;
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
