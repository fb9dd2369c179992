// Packed matrices, and the product of several of them with the same activations in one parallel
// step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/thread_pool.h"
#include "cpu/kernels/kernels.h"
#include "gguf/dtype.h"
#include "gguf/encoding.h"

namespace hearth {

// Whether weights of this type take quantised activations. Precondition: the type has an encoding.
inline bool takes_quantized(DType type) {
    return !is_float(encoding_of(type).codes);
}

inline const kernels::WeightKernels& kernels_for(const kernels::KernelTable& table, DType type) {
    const Encoding& encoding = encoding_of(type);
    return table.weights.at(encoding.codes, encoding.scales);
}

// A view: the arena owns the bytes. No rows: the matrix is not here, or in another form.
struct PackedMatrix {
    DType type{};
    int rows = 0;
    int cols = 0;
    const std::byte* data = nullptr;  // layout: cpu/kernels/kernels.h

    bool present() const { return rows > 0; }
};

// Activations, [n_tokens, cols], in the two forms that weights are multiplied with. Only the forms
// that a step needs are filled.
struct ActivationRows {
    const float* f32 = nullptr;
    std::size_t f32_stride = 0;      // floats
    std::byte* quantized = nullptr;  // groups: cpu/kernels/kernels.h
    int cols = 0;
    int n_tokens = 0;
};

// Bytes from one group of quantised tokens to the next: an odd number of whole cache lines. The
// same column of many groups then does not fall into the same few cache sets.
std::size_t quantized_group_stride(int cols, int n_tokens);

// Bytes that up to n_tokens quantised tokens take, however they are grouped.
std::size_t quantized_bytes(int cols, int n_tokens);

// Fills blocks [first_block, first_block + n_blocks) of token `token` from values x.
void quantize_into(const kernels::KernelTable& table, const ActivationRows& rows, int token,
                   int first_block, int n_blocks, const float* x);

// Computes y[token * y_stride + r] for rows [first_row, last_row) of one matrix.
void multiply_rows(const kernels::KernelTable& table, const PackedMatrix& matrix,
                   const ActivationRows& x, int first_row, int last_row, float* y,
                   std::size_t y_stride);

struct Product {
    const PackedMatrix* matrix;
    float* y;
    std::size_t y_stride;  // floats
};

// Computes all products with the same activations. The pool's threads share out the rows.
void multiply(ThreadPool& pool, const kernels::KernelTable& table,
              std::span<const Product> products, const ActivationRows& x);

// Rows per task, a multiple of `unit`. Tasks are so small that a thread that loses its core leaves
// little undone.
int rows_per_task(int rows, int n_threads, int unit);

}  // namespace hearth
