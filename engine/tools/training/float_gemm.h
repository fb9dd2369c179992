// Products of float matrices, for training: simple, and as fast as plain loops get.
#pragma once

#include <cstddef>

#include "base/thread_pool.h"

namespace hearth::tools {

// c[i, j] = sum over k of a[i, k] * b[k, j], or c += with `accumulate`.
//   a  [m, k], element (i, k) at a[i * a_row_stride + k * a_column_stride]: transposed, if asked
//   b  [k, n], rows contiguous, b_stride floats from one to the next
//   c  [m, n], likewise; overlaps neither a nor b
// Each element is one sum in one order, whatever the number of threads. The order, and whether
// products are fused into sums, depend on the processor.
struct FloatGemm {
    const float* a = nullptr;
    std::size_t a_row_stride = 0;
    std::size_t a_column_stride = 1;
    const float* b = nullptr;
    std::size_t b_stride = 0;
    float* c = nullptr;
    std::size_t c_stride = 0;
    int m = 0;
    int n = 0;
    int k = 0;
    bool accumulate = false;
};

void multiply(ThreadPool& pool, const FloatGemm& gemm);

// values[i] = 1 / (1 + exp(-values[i])), to 1e-6.
void sigmoid(float* values, std::size_t count);

// One step of Adam (Kingma and Ba, 2014, algorithm 1) for `count` weights. rate: the step size with
// the bias corrections of both moments already in it.
void adam_step(float* weights, float* first_moment, float* second_moment, const float* gradient,
               std::size_t count, float rate);

}  // namespace hearth::tools
