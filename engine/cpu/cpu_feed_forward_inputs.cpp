// Thresholds: one token from the inputs that are kept, and several tokens from the same weights.
#include "cpu/cpu_feed_forward.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

namespace hearth {
namespace {

// Values of one task where sums meet: whole blocks, a few microseconds.
constexpr int kJoined = 512;

// Of values [first, first + n), those of neurons that are another executor's become 0.
void zero_outside(std::span<const Cluster> clusters, int first, int n, float* values) {
    int done = first;
    const auto zero_until = [&](int end) {
        for (; done < std::min(end, first + n); ++done) {
            values[done - first] = 0.0F;
        }
    };
    for (const Cluster& cluster : clusters) {
        zero_until(cluster.first);
        done = std::max(done, cluster.first + cluster.count);
    }
    zero_until(first + n);
}

}  // namespace

// Fills in quads, scales and offsets of some blocks of a token; returns how many inputs are kept.
// An input whose quantised value is 0 adds nothing, whatever the threshold, unless the block is
// damaged. The scale tells of infinity. It does not count a NaN, which makes the scale one.
int CpuFeedForward::keep_inputs(const float* x, float threshold, const std::byte* quantized,
                                int first_block, int last_block) {
    int kept = 0;
    for (int b = first_block; b < last_block; ++b) {
        const std::byte* block =
            quantized + static_cast<std::size_t>(b) * kernels::activation_block_bytes(1);
        std::array<std::int8_t, kBlockValues> q;
        float d;
        std::memcpy(q.data(), block, q.size());
        std::memcpy(&d, block + kBlockValues, sizeof d);
        const float* of_block = x + static_cast<std::size_t>(b) * kBlockValues;
        if (std::any_of(of_block, of_block + kBlockValues,
                        [](float value) { return std::isnan(value); })) {
            d = std::numeric_limits<float>::quiet_NaN();
        }
        const bool damaged = !std::isfinite(d);
        std::array<std::uint8_t, kBlockValues + 1> inputs;
        std::array<std::int8_t, kBlockValues + 4> values{};
        std::size_t n = 0;
        int sum = 0;
        for (std::size_t i = 0; i < kBlockValues; ++i) {
            const float size = std::fabs(of_block[i]);
            const bool keep = !(size < threshold) && (q[i] != 0 || damaged);
            inputs[n] = static_cast<std::uint8_t>(i);
            values[n] = q[i];
            sum += keep ? q[i] : 0;
            n += keep ? 1U : 0U;
        }
        const std::size_t n_quads = (n + 3) / 4;
        kernels::InputQuad* quads = scratch_.quads + b * kernels::kBlockQuads;
        for (std::size_t i = 0; i < 4 * n_quads; ++i) {
            // A missing input is the last one once more, times nothing: no memory of its own.
            quads[i / 4].input[i % 4] = inputs[std::min(i, n - 1)];
            quads[i / 4].q[i % 4] = i < n ? values[i] : std::int8_t{0};
        }
        scratch_.quad_counts[b] = static_cast<std::uint8_t>(n_quads);
        scratch_.input_d[b] = d;
        scratch_.input_offset[b] = -8 * sum;
        kept += static_cast<int>(n);
    }
    return kept;
}

// Leaves each chunk's part of the products of the matrices, which are equally large, with what is
// kept of x in its own sums, one matrix after the other, each input_column_width() wide. Returns
// how many inputs that were.
int CpuFeedForward::add_columns(std::span<const ColumnMatrix* const> matrices,
                                const ActivationRows& x, float threshold) {
    const int n_blocks = x.cols / kBlockValues;
    const int n_chunks = std::min(kInputChunks, n_blocks);
    const auto width =
        static_cast<std::size_t>(kernels::input_column_width(matrices.front()->rows));
    const std::size_t all = matrices.size() * width;
    std::array<int, kInputChunks> kept{};
    pool_.run(n_chunks, [&](int chunk, int) {
        const int first = n_blocks * chunk / n_chunks;
        const int last = n_blocks * (chunk + 1) / n_chunks;
        kept[static_cast<std::size_t>(chunk)] =
            keep_inputs(x.f32, threshold, x.quantized, first, last);
        float* sums = scratch_.input_sums + static_cast<std::size_t>(chunk) * all;
        std::memset(sums, 0, all * sizeof(float));
        for (const ColumnMatrix* matrix : matrices) {
            kernels_for(table_, matrix->type)
                .columns({matrix->data, static_cast<int>(width), first, last, scratch_.quads,
                          scratch_.quad_counts, scratch_.input_d, scratch_.input_offset, sums});
            sums += width;
        }
    });
    return std::accumulate(kept.begin(), kept.end(), 0);
}

// Adds the chunks' sums of outputs [first, first + n) in their order to `y`. width: of all a
// chunk's sums.
void CpuFeedForward::join_input_chunks(int n_inputs, std::size_t width, std::size_t first, int n,
                                       float* y) const {
    const int n_chunks = std::min(kInputChunks, n_inputs / kBlockValues);
    const float* sums = scratch_.input_sums + first;
    std::memcpy(y, sums, static_cast<std::size_t>(n) * sizeof(float));
    for (int chunk = 1; chunk < n_chunks; ++chunk) {
        table_.add_vector(sums + static_cast<std::size_t>(chunk) * width, y, n);
    }
}

void CpuFeedForward::one_token_from_inputs(const FeedForwardTask& task, const CpuLayer& layer,
                                           const ActivationRows& input) {
    const std::array gate_and_up{&layer.columns[Role::Gate], &layer.columns[Role::Up]};
    const int inputs = add_columns(gate_and_up, input, layer.input_threshold);

    const LayerSpec& spec = spec_.layer(task.layer);
    const ActivationRows hidden{scratch_.gate, static_cast<std::size_t>(spec.n_ff),
                                scratch_.quantized_hidden, spec.n_ff, 1};
    const auto ff_width = static_cast<std::size_t>(kernels::input_column_width(spec.n_ff));
    pool_.run((spec.n_ff + kJoined - 1) / kJoined, [&](int part, int) {
        const int first = part * kJoined;
        const auto at = static_cast<std::size_t>(first);
        const int n = std::min(kJoined, spec.n_ff - first);
        float* values = scratch_.gate + first;
        float* up = scratch_.up + first;
        join_input_chunks(spec_.n_embd, 2 * ff_width, at, n, values);
        join_input_chunks(spec_.n_embd, 2 * ff_width, ff_width + at, n, up);
        activate(spec, values, up, n);
        zero_outside(task.clusters, first, n, values);
        quantize_into(table_, hidden, 0, first / kBlockValues, n / kBlockValues, values);
    });

    const std::array down{&layer.columns[Role::Down]};
    const int fired = add_columns(down, hidden, layer.hidden_threshold);
    const auto width = static_cast<std::size_t>(kernels::input_column_width(spec_.n_embd));
    pool_.run((spec_.n_embd + kJoined - 1) / kJoined, [&](int part, int) {
        const int first = part * kJoined;
        join_input_chunks(spec.n_ff, width, static_cast<std::size_t>(first),
                          std::min(kJoined, spec_.n_embd - first), task.y + first);
    });

    const auto n_ff = static_cast<std::uint64_t>(spec.n_ff);
    note(task, {.passed = 1,
                .computed = n_ff,
                .tokens = 1,
                .neurons = n_ff,
                .examined = n_ff,
                .opened = n_ff,
                .fired = static_cast<std::uint64_t>(fired),
                .inputs = static_cast<std::uint64_t>(spec_.n_embd),
                .inputs_kept = static_cast<std::uint64_t>(inputs)});
}

// Rows [first, end) of a matrix by input times a batch, a few tiles at a time. first: a multiple of
// kTileRows.
void CpuFeedForward::columns_times_batch(const ColumnMatrix& matrix, const ActivationRows& input,
                                         int first, int end, int worker, float* y,
                                         std::size_t y_stride) {
    const std::size_t row_size = row_bytes(matrix.type, static_cast<std::uint64_t>(matrix.cols));
    std::byte* tiles =
        scratch_.column_tiles + static_cast<std::size_t>(worker) * column_tiles_bytes(spec_);
    for (int begin = first; begin < end; begin += kColumnTileRows) {
        const int n_rows = std::min(kColumnTileRows, end - begin);
        for (int row = 0; row < n_rows; row += kernels::kTileRows) {
            input_columns_to_tile(matrix, begin + row,
                                  tiles + static_cast<std::size_t>(row) * row_size);
        }
        multiply_rows(table_, {matrix.type, n_rows, matrix.cols, tiles}, input, 0, n_rows,
                      y + begin, y_stride);
    }
}

}  // namespace hearth
