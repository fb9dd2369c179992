// The bytes of a tensor of an opened file.
#pragma once

#include <cstddef>
#include <string_view>

#include "gguf/reader.h"
#include "support/gguf_builder.h"

namespace hearth::test {

// Empty if there is no such tensor or it cannot be read.
inline Bytes tensor_data(const GgufFile& file, std::string_view name) {
    const TensorInfo* tensor = file.tensors().find(name);
    Bytes bytes(tensor == nullptr ? 0 : static_cast<std::size_t>(tensor->bytes));
    return tensor != nullptr && file.file().read_at(tensor->offset, bytes) ? bytes : Bytes();
}

}  // namespace hearth::test
