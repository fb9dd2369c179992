// A model of some hundred megabytes; what its weights are does not matter, they are zeros.
#pragma once

#include "support/gguf_builder.h"

namespace hearth::test {

GgufBuilder large_model(DType type, std::uint32_t n_layer);

}  // namespace hearth::test
