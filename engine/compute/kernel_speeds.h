// How fast the processor's kernels are with weights like a model's.
#pragma once

#include <algorithm>
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
    double read_gb_per_s = 0;      // 1e9 bytes of weights a second, by products of a single token
    double rows_gb_per_s = 0;      // likewise of rows that are picked, about one of eight
    double gflop_per_s = 0;        // multiplications and additions by products of many tokens
    double heads_gflop_per_s = 0;  // likewise by attention of many tokens to each other
};

// Three times the processors' caches, since a cache that holds a third of what is read in turn
// still serves some of it: 256 MiB to 1 GiB, and at most an eighth of the memory that is free, in
// steps of 256 MiB, so that speeds that are kept (hardware/speed_book.h) are found again. A
// server's 300 MiB of cache served all of 256 MiB at 210 GB/s, where decoding reads 85
// (docs/measurements/nvidia-h200.md).
inline std::uint64_t measured_bytes(std::uint64_t cache_bytes, std::uint64_t available_bytes) {
    constexpr std::uint64_t kUsual = std::uint64_t{256} << 20;
    constexpr std::uint64_t kMost = std::uint64_t{1} << 30;
    const std::uint64_t beyond = std::clamp(cache_bytes, kUsual / 3, kMost / 3) * 3;
    return std::min(std::max(beyond, kUsual),
                    std::max(kUsual, available_bytes / 8 / kUsual * kUsual));
}

}  // namespace hearth
