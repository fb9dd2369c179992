#include "cpu/matrix.h"

#include <algorithm>
#include <array>

#include "base/assert.h"

namespace hearth {
namespace {

constexpr int kTasksPerThread = 8;
constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kMostProducts = 4;

}  // namespace

std::size_t quantized_row_stride(int cols) {
    const std::size_t lines = (kernels::activation_row_bytes(cols) + kCacheLine - 1) / kCacheLine;
    return (lines | 1U) * kCacheLine;
}

void quantize_into(const kernels::KernelTable& table, const ActivationRows& rows, int token,
                   int first_block, int n_blocks, const float* x) {
    std::byte* row = rows.quantized + static_cast<std::size_t>(token) * rows.quantized_stride;
    auto* d = reinterpret_cast<float*>(row + rows.cols);
    auto* offset = reinterpret_cast<std::int32_t*>(d + rows.cols / kBlockValues);
    table.quantize_blocks(x, reinterpret_cast<std::int8_t*>(row) + first_block * kBlockValues,
                          d + first_block, offset + first_block, n_blocks);
}

void multiply_rows(const kernels::KernelTable& table, const PackedMatrix& matrix,
                   const ActivationRows& x, int n_tokens, int first_row, int last_row, float* y,
                   std::size_t y_stride) {
    HEARTH_DCHECK(matrix.cols == x.cols && first_row % kernels::kTileRows == 0);
    const bool quantized = kernels::takes_quantized(matrix.type);
    const kernels::Matmul task{
        .w = matrix.data,
        .cols = matrix.cols,
        .first_row = first_row,
        .last_row = last_row,
        .x = quantized ? x.quantized : reinterpret_cast<const std::byte*>(x.f32),
        .x_stride = quantized ? x.quantized_stride : x.f32_stride * sizeof(float),
        .n_tokens = n_tokens,
        .y = y,
        .y_stride = y_stride,
    };
    kernels::matmul_for(table, matrix.type)(task);
}

int rows_per_task(int rows, int n_threads, int unit) {
    const int units = (rows + unit - 1) / unit;
    const int tasks = n_threads == 1 ? 1 : n_threads * kTasksPerThread;
    return std::max(1, (units + tasks - 1) / tasks) * unit;
}

void multiply(ThreadPool& pool, const kernels::KernelTable& table,
              std::span<const Product> products, const ActivationRows& x, int n_tokens) {
    HEARTH_ASSERT(products.size() <= kMostProducts);
    int total_rows = 0;
    for (const Product& product : products) {
        total_rows += product.matrix->rows;
    }
    const int step = rows_per_task(total_rows, pool.n_threads(), kernels::kTileRows);
    std::array<int, kMostProducts + 1> first_task{};
    for (std::size_t i = 0; i < products.size(); ++i) {
        first_task[i + 1] = first_task[i] + (products[i].matrix->rows + step - 1) / step;
    }
    pool.run(first_task[products.size()], [&](int task, int) {
        std::size_t i = 0;
        while (task >= first_task[i + 1]) {
            ++i;
        }
        const Product& product = products[i];
        const int first_row = (task - first_task[i]) * step;
        multiply_rows(table, *product.matrix, x, n_tokens, first_row,
                      std::min(product.matrix->rows, first_row + step), product.y,
                      product.y_stride);
    });
}

}  // namespace hearth
