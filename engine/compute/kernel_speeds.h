// How fast the processor's kernels are with weights like a model's.
#pragma once

#include <cstdint>

#include "gguf/dtype.h"

namespace hearth {

// What most of a model's matrices are like.
struct UsualMatrix {
    DType type{};
    int rows = 0;
    int cols = 0;
    std::uint64_t read_bytes = 0;  // of all weights that a token multiplies with
};

// 0: could not be measured.
struct KernelSpeeds {
    double read_gb_per_s = 0;  // 1e9 bytes of weights a second, by products of a single token
    double rows_gb_per_s = 0;  // likewise of rows that are picked, about one of eight
    double gflop_per_s = 0;    // multiplications and additions by products of many tokens
};

}  // namespace hearth
