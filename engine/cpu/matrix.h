// Packed matrices, and several of them times the same activations in one parallel step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/thread_pool.h"
#include "cpu/kernels/kernels.h"
#include "gguf/dtype.h"

namespace hearth {

// A view: the arena owns the bytes.
struct PackedMatrix {
    DType type = DType::F32;  // held_type() of the file's
    int rows = 0;
    int cols = 0;
    const std::byte* data = nullptr;  // layout: cpu/kernels/kernels.h
};

// [n_tokens, cols] activations in the two forms weights take; only the forms a step needs are
// filled.
struct ActivationRows {
    const float* f32 = nullptr;
    std::size_t f32_stride = 0;      // floats
    std::byte* quantized = nullptr;  // groups: cpu/kernels/kernels.h
    int cols = 0;
    int n_tokens = 0;
};

// Bytes between groups of quantised tokens: whole cache lines, an odd number of them, so that the
// same column of many groups does not fall into the same few cache sets.
std::size_t quantized_group_stride(int cols, int n_tokens);

// Bytes that up to n_tokens quantised tokens take, in whatever groups.
std::size_t quantized_bytes(int cols, int n_tokens);

// Fills blocks [first_block, first_block + n_blocks) of token `token` from values x.
void quantize_into(const kernels::KernelTable& table, const ActivationRows& rows, int token,
                   int first_block, int n_blocks, const float* x);

// y[token * y_stride + r] for rows [first_row, last_row) of one matrix.
void multiply_rows(const kernels::KernelTable& table, const PackedMatrix& matrix,
                   const ActivationRows& x, int first_row, int last_row, float* y,
                   std::size_t y_stride);

struct Product {
    const PackedMatrix* matrix;
    float* y;
    std::size_t y_stride;  // floats
};

// All products of the same activations, rows shared out among the pool's threads.
void multiply(ThreadPool& pool, const kernels::KernelTable& table,
              std::span<const Product> products, const ActivationRows& x);

// Rows per task: small enough that a thread without a core leaves little behind, a multiple of
// `unit`.
int rows_per_task(int rows, int n_threads, int unit);

}  // namespace hearth
