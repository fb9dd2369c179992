// Computes the feed-forward block on the CPU, or the part of it that the CPU holds: all of it at
// once for a batch, neuron by neuron for a single token.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "compute/executor.h"
#include "cpu/cpu_weights.h"
#include "cpu/kernels/kernels.h"
#include "cpu/matrix.h"
#include "gguf/rows.h"
#include "model/cluster.h"
#include "model/model_spec.h"
#include "model/weights.h"

namespace hearth {

struct FeedForwardTask {
    int layer;
    const float* x;  // [n_tokens, n_embd], the residual stream before the norm
    float* y;        // [n_tokens, n_embd], overwritten: the sum over `clusters` of
                     // down(f(gate norm(x), up norm(x))); down's bias comes with place 0
    int n_tokens;
    std::span<const Cluster> clusters;  // of this layer, disjoint, by first neuron; first and count
                                        // multiples of 32, but for a last cluster that ends at
                                        // n_ff. Numbers are the plan's places, of neurons that the
                                        // executor holds.
    // Scores that a predictor on another unit gave the neurons of one token, by place from the
    // first neuron that the executor holds. They must be given where the executor has no predictor
    // of its own for a layer that is predicted.
    const float* scores = nullptr;
    bool counts = true;  // what a token alone computes is added to activity()
};

// One token, sparse: a layer's neurons are cut into at most kChunks fixed runs, shared out among
// the threads. A run goes through gate, mask, up and down by itself: its gates in tiles (or those a
// predictor names, in rows), up rows of the open ones, down rows of those that fire, added to the
// run's own sums. The runs' sums are added in their order, so the result does not depend on who
// computed what. Where up lies in tiles all of a run's up is computed, which is the path Dense of a
// layer that also has the path Exact: the rest is the same. (PowerInfer-2, section 4.3, fuses the
// same steps of a neuron cluster.)
//
// One token, thresholded: gate and up are computed from the input's values above a threshold, and
// down from the hidden values above another (TEAL, arXiv 2408.14690). The inputs are cut into at
// most kInputChunks fixed runs with sums of their own, which are added in their order. Each thread
// then reads whole runs of memory, and the result does not depend on which thread computed what.
//
// Several tokens: gate and up are whole products; down, where it is stored by neuron, adds for each
// token the rows of the neurons that fire.
class CpuFeedForward {
public:
    struct Scratch {
        float* gate = nullptr;                  // [n_batch, n_ff]; gates, then hidden values
        float* up = nullptr;                    // [n_batch, max(n_ff, neuron_row_cols(n_embd))]
        std::byte* quantized_hidden = nullptr;  // n_batch tokens of n_ff
        // For sparse activations or a down projection by neuron only, else null.
        std::uint16_t* index = nullptr;  // [n_batch, n_ff]
        std::int32_t* counts = nullptr;  // [n_batch, runs of kListNeurons]
        std::byte* tile = nullptr;       // [n_threads] of tile_bytes()
        // For sparse activations only, else null.
        float* sums = nullptr;         // [kChunks, neuron_row_cols(n_embd)]
        float* hidden = nullptr;       // [n_ff]
        std::int8_t* row_q = nullptr;  // the block's input, for row kernels
        float* row_f32 = nullptr;
        float* row_d = nullptr;
        float* row_offset = nullptr;
        float* predictor_hidden = nullptr;         // [predictor width]
        std::byte* predictor_quantized = nullptr;  // one token, the wider of n_embd and that width
        // For thresholds only, else null; blocks: of n_embd or n_ff, whichever has more.
        float* input_sums = nullptr;           // [kInputChunks, gate and up, or down]
        kernels::InputQuad* quads = nullptr;   // [blocks, kBlockQuads]
        std::uint8_t* quad_counts = nullptr;   // [blocks]
        float* input_d = nullptr;              // [blocks]
        std::int32_t* input_offset = nullptr;  // [blocks]
        std::byte* column_tiles = nullptr;     // [n_threads] of column_tiles_bytes()
    };
    static constexpr int kChunks = 32;
    static constexpr int kInputChunks = 16;
    static constexpr int kColumnTileRows = 2 * kernels::kTileRows;
    static constexpr int kListNeurons = 128;
    static constexpr int kGroupsPerTask = 4;
    // The memory into which a thread unpacks: a tile of floats, or the columns of one task's rows.
    static std::uint64_t tile_bytes(const ModelSpec& spec) {
        return sizeof(float) *
               std::max<std::uint64_t>(kernels::kTileRows * static_cast<std::uint64_t>(spec.n_embd),
                                       kListNeurons * kGroupsPerTask * kernels::kRowGroup);
    }

    // The memory for the rows of a matrix by input that a thread turns into tiles at a time.
    static std::uint64_t column_tiles_bytes(const ModelSpec& spec) {
        const auto cols = static_cast<std::uint64_t>(std::max(spec.n_embd, spec.n_ff_max()));
        std::uint64_t most = 0;
        for (const Encoding& encoding : encodings()) {
            most = std::max(most,
                            encoding.has(Layout::InputColumn) ? row_bytes(encoding.type, cols) : 0);
        }
        return kColumnTileRows * most;
    }

    // Calls take(pointer, bytes) for every buffer, in a fixed order.
    template <class Take>
    static void lay_out(const ModelSpec& spec, int predictor_width, int n_batch, int n_threads,
                        FeedForwardMode mode, Scratch& scratch, Take&& take);

    CpuFeedForward(const kernels::KernelTable& table, ThreadPool& pool)
        : table_(table), pool_(pool) {}
    void set_up(const ModelSpec& spec, const ModelTensors& tensors, const CpuWeights& weights,
                const Scratch& scratch);

    // input: norm(task.x), in float and in the forms that the layer's first matrices take.
    // ReadFailed, BadFile: of a layer whose neurons are cached.
    Result<void> run(const FeedForwardTask& task, const CpuLayer& layer,
                     const ActivationRows& input, FeedForwardObserver* observer);

    // The neurons of a layer that must find room at once where they are cached.
    static int least_slots(int n_neurons);

    // As the executor's. layer: weights of set_up()'s.
    void set_path(int layer, CpuLayer& weights, FeedForwardMode path);
    PathSpeeds measure_paths(const CpuWeights& weights);

    // As the executor's functions of the same name. layers: those of set_up().
    void count_firing(SelfProfile* profile, std::span<const CpuLayer> layers);
    void count_token(std::span<const CpuLayer> layers);
    std::span<const LayerActivity> activity() const { return activity_; }
    void reset_activity();
    // Bytes of the layer's feed-forward weights here that one token reads, in the mean of those
    // that were counted.
    double decode_bytes(int layer, const CpuLayer& weights) const;

private:
    struct ChunkCounts {
        int examined = 0, opened = 0, fired = 0;
    };

    // Adds what one token computed, if the task counts.
    void note(const FeedForwardTask& task, const LayerActivity& token);
    // Rows of down that it takes for the block's first token; 0 where down lies by output.
    std::uint64_t batch(const FeedForwardTask& task, const CpuLayer& layer,
                        const ActivationRows& input, FeedForwardObserver* observer);
    void compute_cluster(const CpuLayer& layer, const ActivationRows& input,
                         const ActivationRows& hidden, int n_tokens, const Cluster& cluster);
    void add_up_bias(const CpuLayer& layer, int first, int end, float* values) const;
    void activate(const LayerSpec& spec, float* gate, const float* up, int n) const;
    void rows_times_batch(const CpuLayer& layer, const CpuRows& part, const ActivationRows& input,
                          int first, int end, int worker, float* y);
    std::uint64_t add_down_rows(const FeedForwardTask& task, const CpuLayer& layer);

    void one_token(const FeedForwardTask& task, const CpuLayer& layer, const ActivationRows& input);
    void prepare_row_input(const ActivationRows& input);
    void predict(const FeedForwardTask& task, const CpuLayer& layer, const ActivationRows& input);
    ChunkCounts compute_chunk(const FeedForwardTask& task, const CpuLayer& layer,
                              const ActivationRows& input, int chunk);
    int name_neurons(const FeedForwardTask& task, const CpuLayer& layer,
                     const ActivationRows& input, int first, int end, ChunkCounts& counts);
    int open_gates(const FeedForwardTask& task, const CpuLayer& layer, const ActivationRows& input,
                   int first, int end, ChunkCounts& counts);
    int fire(const LayerSpec& spec, const CpuLayer& layer, const ActivationRows& input, int first,
             int end, int n_open);
    void multiply_part(const CpuRows& part, int first, int n, float* y);
    void join_chunks(const CpuLayer& layer, float* y);
    void note_fired(int layer, int first, int end, const std::uint16_t* index, int n_fired);
    void note_chunks(const FeedForwardTask& task, const CpuLayer& layer,
                     std::span<const ChunkCounts> chunks);

    static int chunk_neurons(int n_neurons);

    // Of each chunk, from its first neuron's place on.
    struct ColdScratch {
        std::vector<std::uint16_t> at;   // slots of its names
        std::vector<std::uint8_t> read;  // 1: it was not here
        std::vector<std::uint16_t> rows, places;
    };
    Result<void> one_token_cold(const FeedForwardTask& task, const CpuLayer& layer,
                                const ActivationRows& input);
    Result<void> arrange_read(const CpuLayer& layer, int index, int first, int n_names);
    void multiply_slots(const CpuRows& part, const std::uint16_t* at, int n, float* y);
    void compute_named(const LayerSpec& spec, const CpuLayer& layer, int first, int n_names,
                       bool read, ChunkCounts& counts);
    int add_named(int layer_index, const CpuLayer& layer, int chunk, int n_names);

    void one_token_from_inputs(const FeedForwardTask& task, const CpuLayer& layer,
                               const ActivationRows& input);
    int keep_inputs(const float* x, float threshold, const std::byte* quantized, int first_block,
                    int last_block);
    int add_columns(std::span<const ColumnMatrix* const> matrices, const ActivationRows& x,
                    float threshold);
    void join_input_chunks(int n_inputs, std::size_t width, std::size_t first, int n,
                           float* y) const;
    void columns_times_batch(const ColumnMatrix& matrix, const ActivationRows& input, int first,
                             int end, int worker, float* y, std::size_t y_stride);

    const kernels::KernelTable& table_;
    ThreadPool& pool_;
    ModelSpec spec_;
    PredictorInput predictor_input_ = PredictorInput::Normed;
    bool predictor_linear_ = false;
    Scratch scratch_;
    ColdScratch cold_;
    ActivationRows predictor_rows_;  // what fc2 is multiplied with
    std::vector<LayerActivity> activity_;
    SelfProfile* profile_ = nullptr;  // null: nobody wants counts
    // [n_layer][neurons / 32]: bit n % 32 of word n / 32 says whether the layer's neuron n fired
    // for the latest token alone. Set while somebody wants counts.
    std::vector<std::vector<std::uint32_t>> fired_;
};

template <class Take>
void CpuFeedForward::lay_out(const ModelSpec& spec, int predictor_width, int n_batch, int n_threads,
                             FeedForwardMode mode, Scratch& scratch, Take&& take) {
    const auto batch = static_cast<std::uint64_t>(n_batch);
    const int n_ff_max = spec.n_ff_max();
    const auto n_ff = static_cast<std::uint64_t>(n_ff_max);
    const auto row_cols = static_cast<std::uint64_t>(kernels::neuron_row_cols(spec.n_embd));
    take(scratch.gate, batch * n_ff * sizeof(float));
    take(scratch.up, batch * std::max(n_ff, row_cols) * sizeof(float));
    take(scratch.quantized_hidden, quantized_bytes(n_ff_max, n_batch));
    if (mode == FeedForwardMode::Thresholded) {
        const auto blocks =
            static_cast<std::uint64_t>(std::max(spec.n_embd, n_ff_max) / kBlockValues);
        const int sums = std::max(2 * kernels::input_column_width(n_ff_max),
                                  kernels::input_column_width(spec.n_embd));
        take(scratch.input_sums, kInputChunks * static_cast<std::uint64_t>(sums) * sizeof(float));
        take(scratch.quads, blocks * kernels::kBlockQuads * sizeof(kernels::InputQuad));
        take(scratch.quad_counts, blocks);
        take(scratch.input_d, blocks * sizeof(float));
        take(scratch.input_offset, blocks * sizeof(std::int32_t));
        take(scratch.column_tiles,
             static_cast<std::uint64_t>(n_threads) * column_tiles_bytes(spec));
        return;
    }
    const bool sparse = is_sparse(spec.activation());
    if (sparse || spec.any(&LayerSpec::down_by_neuron)) {
        take(scratch.index, batch * n_ff * sizeof(std::uint16_t));
        take(scratch.counts, batch * (n_ff / kListNeurons + 1) * sizeof(std::int32_t));
        take(scratch.tile, static_cast<std::uint64_t>(n_threads) * tile_bytes(spec));
    }
    if (!sparse) {
        return;
    }
    take(scratch.sums, kChunks * row_cols * sizeof(float));
    take(scratch.hidden, n_ff * sizeof(float));
    take(scratch.row_q, row_cols);
    take(scratch.row_f32, row_cols * sizeof(float));
    take(scratch.row_d, row_cols / kBlockValues * sizeof(float));
    take(scratch.row_offset, row_cols / kBlockValues * sizeof(float));
    if (predictor_width > 0) {
        take(scratch.predictor_hidden, static_cast<std::uint64_t>(predictor_width) * sizeof(float));
        take(scratch.predictor_quantized,
             quantized_bytes(std::max(predictor_width, spec.n_embd), 1));
    }
}

}  // namespace hearth
