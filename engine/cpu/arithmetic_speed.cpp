#include "cpu/arithmetic_speed.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <limits>

#include "base/aligned_buffer.h"
#include "cpu/matrix.h"
#include "cpu/pack_rows.h"
#include "gguf/recipes.h"

namespace hearth {

double measure_gflop_per_s(const kernels::KernelTable& table, ThreadPool& pool) {
    constexpr int kRows = 512;
    constexpr int kCols = 2048;
    constexpr int kTokens = 64;
    constexpr int kRuns = 3;
    const auto bytes = [](std::uint64_t n) { return AlignedBuffer::create(n, "a measurement"); };
    auto weights = bytes(packed_bytes(kMeasuredType, kRows, kCols));
    auto inputs = bytes(quantized_bytes(kCols, kTokens));
    auto outputs = bytes(std::uint64_t{kRows} * kTokens * sizeof(float));
    if (!weights || !inputs || !outputs) {
        return 0;
    }
    std::memset(weights->data(), 0x11, weights->bytes());
    std::memset(inputs->data(), 0x11, inputs->bytes());
    const PackedMatrix matrix{kMeasuredType, kRows, kCols, weights->data()};
    const ActivationRows rows{nullptr, 0, inputs->data(), kCols, kTokens};
    const std::array products{
        Product{&matrix, reinterpret_cast<float*>(outputs->data()), std::size_t{kRows}}};
    double best = std::numeric_limits<double>::max();
    for (int run = 0; run < kRuns; ++run) {
        const auto start = std::chrono::steady_clock::now();
        multiply(pool, table, products, rows);
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        best = std::min(best, seconds.count());
    }
    return 2.0 * kRows * kCols * kTokens / best / 1e9;
}

}  // namespace hearth
