#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "bench/kernel_bench.h"
#include "cpu/matrix.h"
#include "cpu/pack_rows.h"
#include "gguf/rows.h"

namespace hearth::bench {
namespace {

constexpr std::uint64_t kDecodeBytes = std::uint64_t{512} << 20;

// Matrices of one tile repeated: what the values are does not matter, as long as they are ordinary.
// Denormal scales would measure the processor's slow path.
AlignedBuffer packed_weights(DType type, std::uint64_t cols, std::uint64_t bytes) {
    std::vector<float> row(cols, 0.5F);
    std::vector<std::byte> file(row_bytes(type, cols) * kernels::kTileRows);
    for (std::size_t r = 0; r < kernels::kTileRows; ++r) {
        row[r] = -1.0F;
        quantize_row(type, row, &file[r * row_bytes(type, cols)]);
    }
    AlignedBuffer weights = buffer_of(bytes);
    const std::uint64_t tile_bytes = packed_bytes(type, kernels::kTileRows, cols);
    pack_tile(type, file.data(), kernels::kTileRows, static_cast<int>(cols), weights.data());
    for (std::uint64_t at = tile_bytes; at < bytes; at += tile_bytes) {
        std::memcpy(weights.data() + at, weights.data(), tile_bytes);
    }
    return weights;
}

// Equal tokens in both forms that weights take. All that this file knows of their layout.
struct Activations {
    Activations(const kernels::KernelTable& table, int cols, int n_tokens)
        : f32(buffer_of(static_cast<std::uint64_t>(n_tokens) * static_cast<std::uint64_t>(cols) *
                        sizeof(float))),
          quantized(buffer_of(quantized_bytes(cols, n_tokens))) {
        const auto values = f32.span<float>(0, f32.bytes() / sizeof(float));
        std::fill(values.begin(), values.end(), 0.25F);
        rows = {values.data(), static_cast<std::size_t>(cols), quantized.data(), cols, n_tokens};
        for (int t = 0; t < n_tokens; ++t) {
            quantize_into(table, rows, t, 0, cols / kBlockValues, values.data());
        }
    }
    AlignedBuffer f32;
    AlignedBuffer quantized;
    ActivationRows rows;
};

}  // namespace

AlignedBuffer buffer_of(std::uint64_t bytes) {
    auto buffer = AlignedBuffer::create(bytes, "measurement");
    if (!buffer) {
        std::fprintf(stderr, "kernel_bench: %s\n", buffer.error().message.c_str());
        std::exit(1);
    }
    return std::move(*buffer);
}

MatmulSpeed measure_matmul(ThreadPool& pool, const kernels::KernelTable& table,
                           const MatmulCase& c) {
    const auto rows = static_cast<std::uint64_t>(c.rows);
    const auto cols = static_cast<std::uint64_t>(c.cols);
    const std::uint64_t matrix_bytes = packed_bytes(c.type, rows, cols);
    const std::uint64_t n_matrices = c.n_tokens == 1 ? kDecodeBytes / matrix_bytes + 1 : 1;
    const AlignedBuffer weights = packed_weights(c.type, cols, matrix_bytes * n_matrices);
    const Activations x(table, c.cols, c.n_tokens);
    std::vector<float> y(static_cast<std::size_t>(c.n_tokens) * rows);
    const double seconds = seconds_of([&] {
                               for (std::uint64_t i = 0; i < n_matrices; ++i) {
                                   const PackedMatrix matrix{c.type, c.rows, c.cols,
                                                             weights.data() + i * matrix_bytes};
                                   const Product product{&matrix, y.data(), rows};
                                   multiply(pool, table, {&product, 1}, x.rows);
                               }
                           }) /
                           static_cast<double>(n_matrices);
    return {static_cast<double>(matrix_bytes) / seconds / 1e9,
            2.0 * c.rows * c.cols * c.n_tokens / seconds};
}

}  // namespace hearth::bench
