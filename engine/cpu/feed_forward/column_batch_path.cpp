#include "cpu/feed_forward/column_batch_path.h"

namespace hearth {

void ColumnBatchPath::run(const FeedForwardTask& task, const CpuLayer& layer,
                          const ActivationRows& input, FeedForwardObserver* observer) {
    const auto n_neurons = static_cast<std::size_t>(layer.n_neurons);
    const ActivationRows hidden =
        hidden_.compute(task, layer, input.f32, true, observer,
                        [&](Role role, int first, int end, int worker, float* y) {
                            multiply(layer.columns[role], input, first, end, worker, y, n_neurons);
                        });
    const int step = rows_per_task(n_embd_, pool_.n_threads(), kTileRowsAtOnce);
    pool_.run((n_embd_ + step - 1) / step, [&](int part, int worker) {
        multiply(layer.columns[Role::Down], hidden, part * step,
                 std::min(n_embd_, (part + 1) * step), worker, task.y,
                 static_cast<std::size_t>(n_embd_));
    });
}

// y[t * y_stride + r] = row r of the matrix times token t, for rows [first, end). first: a multiple
// of kTileRows.
void ColumnBatchPath::multiply(const ColumnMatrix& matrix, const ActivationRows& x, int first,
                               int end, int worker, float* y, std::size_t y_stride) const {
    const std::size_t row_size = row_bytes(matrix.type, static_cast<std::uint64_t>(matrix.cols));
    std::byte* tiles = tiles_.of(worker);
    for (int begin = first; begin < end; begin += kTileRowsAtOnce) {
        const int n_rows = std::min(kTileRowsAtOnce, end - begin);
        for (int row = 0; row < n_rows; row += kernels::kTileRows) {
            input_columns_to_tile(matrix, begin + row,
                                  tiles + static_cast<std::size_t>(row) * row_size);
        }
        multiply_rows(table_, {matrix.type, n_rows, matrix.cols, tiles}, x, 0, n_rows, y + begin,
                      y_stride);
    }
}

}  // namespace hearth
