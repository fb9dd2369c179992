#include "cpu/matrix.h"

#include <algorithm>
#include <array>

#include "base/assert.h"

namespace hearth {
namespace {

constexpr int kTasksPerThread = 8;
constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kMostProducts = 5;

}  // namespace

std::size_t quantized_group_stride(int cols, int n_tokens) {
    const std::size_t bytes = kernels::activation_group_bytes(cols, kernels::group_width(n_tokens));
    return ((bytes + kCacheLine - 1) / kCacheLine | 1U) * kCacheLine;
}

std::size_t quantized_bytes(int cols, int n_tokens) {
    const int width = kernels::group_width(n_tokens);
    return static_cast<std::size_t>((n_tokens + width - 1) / width) *
           quantized_group_stride(cols, n_tokens);
}

void quantize_into(const kernels::KernelTable& table, const ActivationRows& rows, int token,
                   int first_block, int n_blocks, const float* x) {
    const int width = kernels::group_width(rows.n_tokens);
    std::byte* group = rows.quantized + static_cast<std::size_t>(token / width) *
                                            quantized_group_stride(rows.cols, rows.n_tokens);
    table.quantize_blocks(
        x, group + static_cast<std::size_t>(first_block) * kernels::activation_block_bytes(width),
        width, token % width, n_blocks);
}

void multiply_rows(const kernels::KernelTable& table, const PackedMatrix& matrix,
                   const ActivationRows& x, int first_row, int last_row, float* y,
                   std::size_t y_stride) {
    HEARTH_DCHECK(matrix.cols == x.cols && first_row % kernels::kTileRows == 0);
    const bool quantized = takes_quantized(matrix.type);
    const Encoding& encoding = encoding_of(matrix.type);
    const kernels::Matmul task{
        .w = matrix.data,
        .cols = matrix.cols,
        .first_row = first_row,
        .last_row = last_row,
        .x = quantized ? x.quantized : reinterpret_cast<const std::byte*>(x.f32),
        .x_stride =
            quantized ? quantized_group_stride(x.cols, x.n_tokens) : x.f32_stride * sizeof(float),
        .n_tokens = x.n_tokens,
        .y = y,
        .y_stride = y_stride,
        .packing = encoding.packing,
        .block_bytes = encoding.block_bytes,
    };
    kernels_for(table, matrix.type).matmul(task);
}

int rows_per_task(int rows, int n_threads, int unit) {
    const int units = (rows + unit - 1) / unit;
    const int tasks = n_threads == 1 ? 1 : n_threads * kTasksPerThread;
    return std::max(1, (units + tasks - 1) / tasks) * unit;
}

void multiply(ThreadPool& pool, const kernels::KernelTable& table,
              std::span<const Product> products, const ActivationRows& x) {
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
        multiply_rows(table, *product.matrix, x, first_row,
                      std::min(product.matrix->rows, first_row + step), product.y,
                      product.y_stride);
    });
}

}  // namespace hearth
