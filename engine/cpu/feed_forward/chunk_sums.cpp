#include "cpu/feed_forward/chunk_sums.h"

#include <algorithm>
#include <cstring>

#include "cpu/matrix.h"

namespace hearth {

using kernels::kRowGroup;

void ChunkSums::set(int chunk, const CpuRows& down, int first, const std::uint16_t* index, int n,
                    const float* values) const {
    const int cols = kernels::neuron_row_cols(n_embd_);
    float* sums = scratch_.sums + static_cast<std::size_t>(chunk) * static_cast<std::size_t>(cols);
    std::memset(sums, 0, static_cast<std::size_t>(cols) * sizeof(float));
    kernels_for(table_, down.type)
        .row_add({down.row(first), down.bytes, cols, index, n, values, 0, cols / kRowGroup, sums});
}

void ChunkSums::join(const CpuRows& down, int n_chunks, float* y) const {
    const int cols = kernels::neuron_row_cols(n_embd_);
    const CodeKind codes = encoding_of(down.type).codes;
    constexpr int kColumns = 4 * kRowGroup;
    pool_.run((cols + kColumns - 1) / kColumns, [&](int part, int) {
        const int first = part * kColumns;
        const int n = std::min(kColumns, cols - first);
        float* sums = scratch_.sums + first;
        for (int chunk = 1; chunk < n_chunks; ++chunk) {
            table_.add_vector(sums + static_cast<std::size_t>(chunk * cols), sums, n);
        }
        for (int i = 0; i < n; ++i) {
            const int column = kernels::accumulator_column(codes, first + i);
            if (column < n_embd_) {
                y[column] = sums[i];
            }
        }
    });
}

}  // namespace hearth
