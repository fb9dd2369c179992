#include "cpu/cpu_weights.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "base/assert.h"
#include "cpu/neuron_form.h"
#include "cpu/pack_rows.h"
#include "cpu/up_form.h"
#include "cpu/weight_reader.h"
#include "gguf/finite.h"
#include "gguf/rows.h"

namespace hearth {
namespace {

// Read at once by one thread: half of a small L2, so that packing finds the rows still there.
constexpr std::uint64_t kStagingBytes = 256 * 1024;

std::uint64_t aligned(std::uint64_t bytes) {
    return (bytes + AlignedBuffer::kAlignment - 1) / AlignedBuffer::kAlignment *
           AlignedBuffer::kAlignment;
}

bool is_vector(const TensorInfo& tensor) {
    return tensor.shape.size() == 1;
}

std::uint64_t held_bytes(const TensorInfo& tensor) {
    return aligned(is_vector(tensor) ? tensor.values() * sizeof(float)
                                     : packed_bytes(tensor.type, tensor.rows(), tensor.cols()));
}

// A layer's neurons that stay with the processor.
RowChoice own_neurons(const ModelSpec& spec, const GpuPart& on_gpu, std::size_t layer) {
    const auto n_ff = static_cast<std::uint64_t>(spec.layers[layer].n_ff);
    const auto hot = static_cast<std::uint64_t>(on_gpu.hot(static_cast<int>(layer)));
    const std::span<const int> order = on_gpu.order(static_cast<int>(layer));
    HEARTH_ASSERT(hot <= n_ff && (order.empty() || order.size() == n_ff));
    return {n_ff - hot, hot, order};
}

bool is_empty(const GpuPart& on_gpu, const ModelSpec& spec) {
    bool empty = !on_gpu.output_in_vram;
    for (int layer = 0; layer < spec.n_layer(); ++layer) {
        empty = empty && on_gpu.hot(layer) == 0 && on_gpu.order(layer).empty() &&
                !on_gpu.has_attention(layer);
    }
    return empty;
}

// Calls visit(tensor) for every tensor the processor holds by itself, each once, null for what a
// model has not, and after a layer's tensors visit_block(its index) for its neurons and predictor,
// if any of them are the processor's. In the order of the arena, which is about that of files:
// read-ahead only looks forward.
template <class Visit, class VisitBlock>
void for_each_tensor(const ModelSpec& spec, const ModelTensors& tensors, const GpuPart& on_gpu,
                     Visit&& visit, VisitBlock&& visit_block) {
    visit(tensors.token_embd);
    visit(tensors.position_embd);
    bool any_attention = false;
    for (std::size_t i = 0; i < tensors.layers.size(); ++i) {
        const LayerTensors& layer = tensors.layers[i];
        const bool attention = !on_gpu.has_attention(static_cast<int>(i));
        any_attention = any_attention || attention;
        if (attention) {
            for (const TensorInfo* tensor :
                 {layer.attn_norm, layer.attn_norm_bias, layer.attn_q, layer.attn_k, layer.attn_v,
                  layer.attn_q_bias, layer.attn_k_bias, layer.attn_v_bias, layer.attn_output,
                  layer.attn_output_bias}) {
                visit(tensor);
            }
        }
        const RowChoice neurons = own_neurons(spec, on_gpu, i);
        if (neurons.count == 0) {
            continue;
        }
        if (!attention || layer.ffn_norm != layer.attn_norm) {
            visit(layer.ffn_norm);
            visit(layer.ffn_norm_bias);
        }
        visit(neurons.first == 0 ? layer.ffn_down_bias : nullptr);
        visit_block(i);
    }
    if (!on_gpu.output_in_vram) {
        visit(tensors.output_norm);
        visit(tensors.output_norm_bias);
        visit(tensors.output == tensors.token_embd ? nullptr : tensors.output);
    }
    visit(any_attention ? tensors.rope_freqs : nullptr);
}

// The neurons of one feed-forward block: what lies where, from the block's own beginning.
struct BlockLayout {
    struct Matrix {
        NeuronRows source;
        std::uint64_t at = 0;                                // where its tiles or rows begin
        CpuNeuronRows::Part CpuNeuronRows::*part = nullptr;  // null: tiles
    };
    RowChoice neurons;              // their up bias stands first
    std::vector<Matrix> by_neuron;  // gate, up, down: those that are read neuron by neuron
    std::uint64_t down_at = 0;      // tiles of a down projection that is stored by output
    bool two_forms = false;         // there is room for up in tiles where it lies in rows
    std::uint64_t fc1_at = 0;
    std::uint64_t fc2_at = 0;
    std::uint64_t bytes = 0;
    bool sparse = false;     // single tokens compute single neurons
    bool predicted = false;  // those a predictor names
    struct Columns {
        const TensorInfo* tensor;
        std::uint64_t at;
        ColumnMatrix CpuLayer::*matrix;
    };
    std::vector<Columns> by_input;
};

std::uint64_t tiles_bytes(DType type, std::uint64_t rows, std::uint64_t cols) {
    return aligned(packed_bytes(type, rows, cols));
}

// Tiles are the fastest way to compute all neurons, rows the only one to compute some. So the gate
// lies in tiles unless a predictor chooses its rows, and where up may be computed either way there
// is room for the larger of its forms, mostly the same number of bytes.
BlockLayout lay_out(const LayerSpec& spec, const LayerTensors& layer, FeedForwardMode mode,
                    const RowChoice& neurons, bool gpu_predicts) {
    const auto has_rows = [](const NeuronRows& rows) {
        return !rows.present() || kernels::has_row_form(row_form_type(rows.type));
    };
    const bool sparse = is_sparse(spec.activation) && mode != FeedForwardMode::Dense &&
                        has_rows(layer.ffn_up) && has_rows(layer.ffn_gate);
    const bool predicted =
        sparse && mode == FeedForwardMode::Predicted && layer.predictor.present();
    BlockLayout block;
    block.neurons = neurons;
    if (mode == FeedForwardMode::Thresholded) {
        for (const auto& [tensor, matrix] :
             {std::pair{layer.ffn_gate.tensor, &CpuLayer::gate_columns},
              std::pair{layer.ffn_up.tensor, &CpuLayer::up_columns},
              std::pair{layer.ffn_down, &CpuLayer::down_columns}}) {
            block.by_input.push_back({tensor, block.bytes, matrix});
            block.bytes +=
                column_form_bytes(held_type(tensor->type), static_cast<int>(tensor->rows()),
                                  static_cast<int>(tensor->cols()));
        }
        return block;
    }
    block.sparse = sparse;
    block.predicted = predicted;
    if (layer.ffn_up_bias != nullptr) {
        block.bytes = aligned(neurons.count * sizeof(float));
    }
    const auto place = [&](const NeuronRows& source, CpuNeuronRows::Part CpuNeuronRows::*part,
                           bool in_rows) {
        if (!source.present()) {
            return;
        }
        const std::uint64_t tiles =
            tiles_bytes(source.type, neurons.count, static_cast<std::uint64_t>(source.cols));
        const std::uint64_t rows = row_form_bytes(source.type, source.cols) * neurons.count;
        block.by_neuron.push_back({source, block.bytes, in_rows ? part : nullptr});
        const bool either = block.two_forms && part == &CpuNeuronRows::up;
        block.bytes += either ? std::max(tiles, rows) : (in_rows ? rows : tiles);
    };
    const bool gated = is_gated(spec.activation);
    block.two_forms = sparse && gated && !predicted && can_change_form(layer.ffn_up.type);
    place(layer.ffn_gate, &CpuNeuronRows::gate, predicted);
    place(layer.ffn_up, &CpuNeuronRows::up, gated ? sparse : predicted);
    place(layer.ffn_down_t, &CpuNeuronRows::down, true);
    if (layer.ffn_down != nullptr) {
        block.down_at = block.bytes;
        block.bytes += tiles_bytes(layer.ffn_down->type, layer.ffn_down->rows(), neurons.count);
    }
    if (predicted && !gpu_predicts) {
        block.fc1_at = block.bytes;
        block.bytes += held_bytes(*layer.predictor.fc1);
        block.fc2_at = block.bytes;
        block.bytes +=
            tiles_bytes(layer.predictor.fc2->type, neurons.count, layer.predictor.fc2->cols());
    } else {
        block.fc1_at = block.fc2_at = 0;
    }
    return block;
}

Result<void> read_vector(const InputFile& file, const TensorInfo& tensor, std::byte* place) {
    std::vector<std::byte> raw(tensor.bytes);
    if (auto read = file.read_at(tensor.offset, raw); !read) {
        return read;
    }
    const std::span<float> values(reinterpret_cast<float*>(place),
                                  static_cast<std::size_t>(tensor.values()));
    dequantize_row(tensor.type, raw.data(), values);
    if (!all_finite(values)) {
        return not_finite(tensor.name, "value", values);
    }
    return {};
}

// Of rows [first, first + count) of a choice, one after the other: Inf and NaN are an error.
Result<void> check_rows(const std::string& name, DType type, const std::byte* rows,
                        std::uint64_t stride, std::uint64_t cols, const RowChoice& choice,
                        std::uint64_t first, std::uint64_t count) {
    if (rows_are_finite(type, rows, count, stride, cols)) {
        return {};
    }
    std::uint64_t i = 0;
    while (rows_are_finite(type, rows + i * stride, 1, stride, cols)) {
        ++i;
    }
    return rows_not_finite(name, type, rows + i * stride, 1, stride, cols,
                           choice.in_file(first + i));
}

// First failure of several threads.
class FirstError {
public:
    void set(Error error) {
        const std::lock_guard lock(mutex_);
        if (!error_) {
            error_ = std::move(error);
            failed_.store(true, std::memory_order_relaxed);
        }
    }
    bool failed() const { return failed_.load(std::memory_order_relaxed); }
    const Error& error() const { return *error_; }

private:
    std::mutex mutex_;
    std::optional<Error> error_;
    std::atomic<bool> failed_{false};
};

// Part of a stored matrix: some of its rows, and of each the columns from first_col on.
struct MatrixPart {
    explicit MatrixPart(const TensorInfo& all) : MatrixPart(all, {all.rows()}, 0, all.cols()) {}
    MatrixPart(const TensorInfo& of, const RowChoice& chosen, std::uint64_t first, std::uint64_t n)
        : tensor(of), rows(chosen), first_col(first), n_cols(n) {}
    const TensorInfo& tensor;
    RowChoice rows;
    std::uint64_t first_col;
    std::uint64_t n_cols;
};

// Its tiles to `place`.
Result<void> read_matrix(WeightReader& reader, const MatrixPart& part, ThreadPool& pool,
                         std::span<std::vector<std::byte>> staging, std::byte* place) {
    const TensorInfo& tensor = part.tensor;
    const std::uint64_t row_size = row_bytes(tensor.type, tensor.cols());
    const std::uint64_t skipped = row_bytes(tensor.type, part.first_col);
    const std::uint64_t tile_size = row_size * kernels::kTileRows;
    const std::uint64_t held_row_size = row_bytes(held_type(tensor.type), part.n_cols);
    const std::uint64_t n_tiles = (part.rows.count + kernels::kTileRows - 1) / kernels::kTileRows;
    const std::uint64_t tiles_per_task = std::max<std::uint64_t>(1, kStagingBytes / tile_size);
    const std::uint64_t n_tasks = (n_tiles + tiles_per_task - 1) / tiles_per_task;
    for (std::vector<std::byte>& rows : staging) {  // here, where a refusal can still be an error
        rows.resize(std::max<std::size_t>(rows.size(), tiles_per_task * tile_size));
    }
    FirstError failure;
    pool.run(static_cast<int>(n_tasks), [&](int task, int worker) {
        if (failure.failed()) {
            return;
        }
        const std::uint64_t first_tile = static_cast<std::uint64_t>(task) * tiles_per_task;
        const std::uint64_t first_row = first_tile * kernels::kTileRows;
        const std::uint64_t n_rows =
            std::min(part.rows.count - first_row, tiles_per_task * kernels::kTileRows);
        std::vector<std::byte>& rows = staging[static_cast<std::size_t>(worker)];
        if (auto read =
                reader.read(tensor.offset, row_size, part.rows, first_row, n_rows, std::span(rows));
            !read) {
            failure.set(std::move(read).error());
            return;
        }
        if (auto fine = check_rows(tensor.name, tensor.type, rows.data(), row_size, tensor.cols(),
                                   part.rows, first_row, n_rows);
            !fine) {
            failure.set(std::move(fine).error());
            return;
        }
        for (std::uint64_t row = 0; row < n_rows; row += kernels::kTileRows) {
            pack_tile(tensor.type, rows.data() + row * row_size + skipped, row_size,
                      static_cast<int>(std::min<std::uint64_t>(kernels::kTileRows, n_rows - row)),
                      static_cast<int>(part.n_cols), place + (first_row + row) * held_row_size);
        }
    });
    if (failure.failed()) {
        return failure.error();
    }
    return {};
}

Result<void> read_columns(WeightReader& reader, const TensorInfo& tensor, ThreadPool& pool,
                          std::span<std::vector<std::byte>> staging, std::byte* place) {
    constexpr std::uint64_t kRows = kernels::kColumnGroup;
    const std::uint64_t row_size = row_bytes(tensor.type, tensor.cols());
    for (std::vector<std::byte>& rows : staging) {
        rows.resize(std::max<std::size_t>(rows.size(), kRows * row_size));
    }
    FirstError failure;
    pool.run(static_cast<int>((tensor.rows() + kRows - 1) / kRows), [&](int task, int worker) {
        if (failure.failed()) {
            return;
        }
        const std::uint64_t first = static_cast<std::uint64_t>(task) * kRows;
        const std::uint64_t n_rows = std::min(tensor.rows() - first, kRows);
        std::vector<std::byte>& rows = staging[static_cast<std::size_t>(worker)];
        if (auto read = reader.read(tensor.offset, row_size, {tensor.rows()}, first, n_rows,
                                    std::span(rows));
            !read) {
            failure.set(std::move(read).error());
            return;
        }
        if (auto fine = check_rows(tensor.name, tensor.type, rows.data(), row_size, tensor.cols(),
                                   {tensor.rows()}, first, n_rows);
            !fine) {
            failure.set(std::move(fine).error());
            return;
        }
        to_column_form(tensor.type, rows.data(), static_cast<int>(first), static_cast<int>(n_rows),
                       static_cast<int>(tensor.rows()), static_cast<int>(tensor.cols()), place);
    });
    if (failure.failed()) {
        return failure.error();
    }
    return {};
}

// Reads the rows of some neurons once, and puts each matrix among them where the layout says.
class NeuronLoader {
public:
    NeuronLoader(WeightReader& reader, ThreadPool& pool, std::span<std::vector<std::byte>> staging)
        : reader_(reader), pool_(pool), staging_(staging) {}

    // `tensor`: of the matrices, those that lie in it.
    Result<void> load(const TensorInfo& tensor, const BlockLayout& block, std::byte* base) {
        std::vector<const BlockLayout::Matrix*> matrices;
        for (const BlockLayout::Matrix& matrix : block.by_neuron) {
            if (matrix.source.tensor == &tensor) {
                matrices.push_back(&matrix);
            }
        }
        const std::uint64_t stride = matrices.front()->source.stride;
        const std::uint64_t step =
            std::max<std::uint64_t>(1, kStagingBytes / (stride * kernels::kTileRows)) *
            kernels::kTileRows;
        for (std::vector<std::byte>& rows : staging_) {
            rows.resize(std::max<std::size_t>(rows.size(), step * stride));
        }
        const std::uint64_t n_neurons = block.neurons.count;
        FirstError failure;
        pool_.run(static_cast<int>((n_neurons + step - 1) / step), [&](int task, int worker) {
            if (failure.failed()) {
                return;
            }
            const std::uint64_t first = static_cast<std::uint64_t>(task) * step;
            const std::uint64_t count = std::min(n_neurons - first, step);
            std::vector<std::byte>& rows = staging_[static_cast<std::size_t>(worker)];
            if (auto read = reader_.read(tensor.offset, stride, block.neurons, first, count,
                                         std::span(rows));
                !read) {
                failure.set(std::move(read).error());
                return;
            }
            for (const BlockLayout::Matrix* matrix : matrices) {
                const NeuronRows& source = matrix->source;
                if (auto fine = check_rows(tensor.name, source.type, rows.data() + source.offset,
                                           stride, static_cast<std::uint64_t>(source.cols),
                                           block.neurons, first, count);
                    !fine) {
                    failure.set(std::move(fine).error());
                    return;
                }
                put(*matrix, rows.data(), first, count, base);
            }
        });
        if (failure.failed()) {
            return failure.error();
        }
        return {};
    }

private:
    static void put(const BlockLayout::Matrix& matrix, const std::byte* records,
                    std::uint64_t first, std::uint64_t count, std::byte* base) {
        const NeuronRows& source = matrix.source;
        const std::byte* rows = records + source.offset;
        const std::uint64_t step = matrix.part == nullptr ? kernels::kTileRows : 1;
        for (std::uint64_t i = 0; i < count; i += step) {
            if (matrix.part != nullptr) {
                to_row_form(
                    source.type, rows + i * source.stride, source.cols,
                    base + matrix.at + (first + i) * row_form_bytes(source.type, source.cols));
            } else {
                const std::uint64_t row_size =
                    row_bytes(held_type(source.type), static_cast<std::uint64_t>(source.cols));
                pack_tile(source.type, rows + i * source.stride, source.stride,
                          static_cast<int>(std::min(step, count - i)), source.cols,
                          base + matrix.at + (first + i) * row_size);
            }
        }
    }

    WeightReader& reader_;
    ThreadPool& pool_;
    std::span<std::vector<std::byte>> staging_;
};

PackedMatrix view(DType file_type, std::uint64_t rows, std::uint64_t cols, const std::byte* place) {
    return {held_type(file_type), static_cast<int>(rows), static_cast<int>(cols), place};
}

// The columns of the neurons of a down projection that is stored by output.
MatrixPart columns_of(const TensorInfo& down, const RowChoice& neurons) {
    const std::uint64_t first = neurons.in_file(0);
    const std::uint64_t block = dtype_info(down.type).block_values;
    HEARTH_ASSERT(first % block == 0 && neurons.count % block == 0);
    for (std::uint64_t i = 1; i < neurons.count && !neurons.order.empty(); ++i) {
        HEARTH_ASSERT(neurons.in_file(i) == first + i);
    }
    return {down, {down.rows()}, first, neurons.count};
}

Result<void> load_up_bias(const InputFile& file, const TensorInfo& tensor, const RowChoice& neurons,
                          std::byte* place, std::span<const float>& view) {
    std::vector<float> all(tensor.values());
    if (auto read = read_vector(file, tensor, reinterpret_cast<std::byte*>(all.data())); !read) {
        return read;
    }
    auto* held = reinterpret_cast<float*>(place);
    for (std::uint64_t i = 0; i < neurons.count; ++i) {
        held[i] = all[neurons.in_file(i)];
    }
    view = {held, static_cast<std::size_t>(neurons.count)};
    return {};
}

// Loads one feed-forward block to `base` and fills in the layer's views of it.
Result<void> load_block(const PlanSlice& slice, const LayerTensors& tensors,
                        const BlockLayout& block, WeightReader& reader, ThreadPool& pool,
                        std::span<std::vector<std::byte>> staging, std::byte* base,
                        CpuLayer& layer) {
    for (const BlockLayout::Columns& columns : block.by_input) {
        if (auto read = read_columns(reader, *columns.tensor, pool, staging, base + columns.at);
            !read) {
            return read;
        }
        layer.*columns.matrix = {held_type(columns.tensor->type),
                                 static_cast<int>(columns.tensor->rows()),
                                 static_cast<int>(columns.tensor->cols()), base + columns.at};
    }
    if (!block.by_input.empty()) {
        layer.input_threshold = tensors.input_threshold;
        layer.hidden_threshold = tensors.hidden_threshold;
        return {};
    }
    const RowChoice& own = block.neurons;
    if (tensors.ffn_up_bias != nullptr) {
        if (auto loaded =
                load_up_bias(slice.file.file(), *tensors.ffn_up_bias, own, base, layer.up_bias);
            !loaded) {
            return loaded;
        }
    }
    NeuronLoader neurons(reader, pool, staging);
    std::vector<const TensorInfo*> done;
    for (const BlockLayout::Matrix& matrix : block.by_neuron) {
        const TensorInfo* tensor = matrix.source.tensor;
        if (std::find(done.begin(), done.end(), tensor) == done.end()) {
            done.push_back(tensor);
            if (auto loaded = neurons.load(*tensor, block, base); !loaded) {
                return loaded;
            }
        }
        if (matrix.part != nullptr) {
            layer.neurons.*matrix.part = {row_form_type(matrix.source.type), base + matrix.at,
                                          row_form_bytes(matrix.source.type, matrix.source.cols)};
            if (block.two_forms && matrix.part == &CpuNeuronRows::up) {
                layer.up_place = base + matrix.at;
            }
        } else {
            PackedMatrix& packed = matrix.source.tensor == tensors.ffn_gate.tensor &&
                                           matrix.source.offset == tensors.ffn_gate.offset
                                       ? layer.ffn_gate
                                       : layer.ffn_up;
            packed = view(matrix.source.type, own.count,
                          static_cast<std::uint64_t>(matrix.source.cols), base + matrix.at);
        }
    }
    layer.sparse = block.sparse;
    layer.predicted = block.predicted;
    layer.predictor_threshold = tensors.predictor.threshold;
    if (tensors.ffn_down != nullptr) {
        const MatrixPart part = columns_of(*tensors.ffn_down, own);
        if (auto read = read_matrix(reader, part, pool, staging, base + block.down_at); !read) {
            return read;
        }
        layer.ffn_down = view(part.tensor.type, part.rows.count, part.n_cols, base + block.down_at);
    }
    if (block.fc2_at != 0) {
        WeightReader predictors(slice.tensors.predictor_file->file());
        const TensorInfo& fc1 = *tensors.predictor.fc1;
        const TensorInfo& fc2 = *tensors.predictor.fc2;
        for (const auto& [part, at, matrix] :
             {std::tuple{MatrixPart(fc1), block.fc1_at, &layer.predictor_fc1},
              std::tuple{MatrixPart(fc2, own, 0, fc2.cols()), block.fc2_at,
                         &layer.predictor_fc2}}) {
            if (auto read = read_matrix(predictors, part, pool, staging, base + at); !read) {
                return read;
            }
            *matrix = view(part.tensor.type, part.rows.count, part.n_cols, base + at);
        }
    }
    return {};
}

}  // namespace

Result<void> CpuWeights::can_lie_by_input(const ModelTensors& tensors) {
    const auto check = [](const TensorInfo* tensor, bool whole) -> Result<void> {
        if (tensor == nullptr || !whole) {
            return Error{ErrorCode::Unsupported,
                         "thresholds need gate, up and down as three matrices by output; this file "
                         "stores neurons one by one, or has no gate",
                         {},
                         "mode"};
        }
        if (!kernels::has_column_form(held_type(tensor->type))) {
            return Error{ErrorCode::Unsupported,
                         tensor->name + ": is of type " +
                             std::string(dtype_info(tensor->type).name) +
                             "; thresholds work on Q4_0, Q5_0 and Q8_0 (hearth-cli quantize makes "
                             "such a file)",
                         {},
                         tensor->name};
        }
        return {};
    };
    const auto is_tensor = [](const NeuronRows& rows) {
        return rows.present() && rows.offset == 0 &&
               rows.stride == row_bytes(rows.type, static_cast<std::uint64_t>(rows.cols));
    };
    for (const LayerTensors& layer : tensors.layers) {
        for (const auto& [tensor, whole] :
             {std::pair{layer.ffn_gate.tensor, is_tensor(layer.ffn_gate)},
              std::pair{layer.ffn_up.tensor, is_tensor(layer.ffn_up)},
              std::pair{layer.ffn_down, true}}) {
            if (auto fine = check(tensor, whole); !fine) {
                return fine;
            }
        }
    }
    return {};
}

std::uint64_t CpuWeights::bytes_for(const ModelSpec& spec, const ModelTensors& tensors,
                                    FeedForwardMode mode, const GpuPart& on_gpu) {
    HEARTH_ASSERT(mode != FeedForwardMode::Thresholded || is_empty(on_gpu, spec));
    std::uint64_t bytes = 0;
    for_each_tensor(
        spec, tensors, on_gpu,
        [&](const TensorInfo* tensor) { bytes += tensor != nullptr ? held_bytes(*tensor) : 0; },
        [&](std::size_t i) {
            bytes += lay_out(spec.layers[i], tensors.layers[i], mode, own_neurons(spec, on_gpu, i),
                             on_gpu.has_predictor(static_cast<int>(i)))
                         .bytes;
        });
    return bytes;
}

Result<CpuWeights> CpuWeights::load(const PlanSlice& slice, ThreadPool& pool,
                                    LoadMonitor& monitor) {
    const ModelTensors& tensors = slice.tensors;
    const GpuPart on_gpu = slice.plan.on_gpu();
    const std::uint64_t total_bytes = bytes_for(slice.spec, tensors, slice.plan.mode, on_gpu);
    auto arena = slice.ledger.allocate(Purpose::Weights, total_bytes, "weights");
    if (!arena) {
        return std::move(arena).error();
    }
    CpuWeights weights;
    weights.arena_ = std::move(*arena);

    std::vector<std::vector<std::byte>> staging(static_cast<std::size_t>(pool.n_threads()));
    std::vector<std::pair<const TensorInfo*, std::byte*>> places;
    WeightReader reader(slice.file.file());
    std::uint64_t offset = 0;
    Result<void> status;
    const auto loaded_to = [&](std::uint64_t end) {
        offset = end;
        if (status &&
            !monitor.loaded(static_cast<double>(offset) / static_cast<double>(total_bytes))) {
            status = Error{ErrorCode::Cancelled, "loading was cancelled", slice.file.path(), {}};
        }
    };
    weights.layers.resize(tensors.layers.size());
    for_each_tensor(
        slice.spec, tensors, on_gpu,
        [&](const TensorInfo* tensor) {
            if (tensor == nullptr || !status) {
                return;
            }
            std::byte* place = weights.arena_.data() + offset;
            status = is_vector(*tensor)
                         ? read_vector(slice.file.file(), *tensor, place)
                         : read_matrix(reader, MatrixPart(*tensor), pool, staging, place);
            places.emplace_back(tensor, place);
            loaded_to(offset + held_bytes(*tensor));
        },
        [&](std::size_t i) {
            if (!status) {
                return;
            }
            const RowChoice own = own_neurons(slice.spec, on_gpu, i);
            const BlockLayout block =
                lay_out(slice.spec.layers[i], tensors.layers[i], slice.plan.mode, own,
                        on_gpu.has_predictor(static_cast<int>(i)));
            weights.layers[i].n_neurons = static_cast<int>(own.count);
            weights.layers[i].first = static_cast<int>(own.first);
            if (!own.order.empty()) {
                const auto numbers = own.order.subspan(own.first);
                weights.layers[i].numbers.assign(numbers.begin(), numbers.end());
            }
            status = load_block(slice, tensors.layers[i], block, reader, pool, staging,
                                weights.arena_.data() + offset, weights.layers[i]);
            loaded_to(offset + block.bytes);
        });
    if (!status) {
        return std::move(status).error();
    }
    HEARTH_ASSERT(offset == total_bytes);

    const auto place_of = [&](const TensorInfo* tensor) -> std::byte* {
        const auto found = std::find_if(places.begin(), places.end(),
                                        [&](const auto& pair) { return pair.first == tensor; });
        return found == places.end() ? nullptr : found->second;
    };
    // Nothing for what the model has not, or the processor does not hold.
    const auto matrix = [&](const TensorInfo* tensor) {
        const std::byte* place = place_of(tensor);
        return place == nullptr ? PackedMatrix{}
                                : view(tensor->type, tensor->rows(), tensor->cols(), place);
    };
    const auto vector = [&](const TensorInfo* tensor) {
        const std::byte* place = place_of(tensor);
        return place == nullptr
                   ? std::span<const float>{}
                   : std::span<const float>{reinterpret_cast<const float*>(place),
                                            static_cast<std::size_t>(tensor->values())};
    };
    weights.token_embd = matrix(tensors.token_embd);
    weights.position_embd = matrix(tensors.position_embd);
    if (!on_gpu.output_in_vram) {
        weights.output = matrix(tensors.output);
    }
    weights.output_norm = vector(tensors.output_norm);
    weights.output_norm_bias = vector(tensors.output_norm_bias);
    weights.rope_freqs = vector(tensors.rope_freqs);
    for (std::size_t i = 0; i < tensors.layers.size(); ++i) {
        const LayerTensors& from = tensors.layers[i];
        CpuLayer& layer = weights.layers[i];
        layer.attn_norm = vector(from.attn_norm);
        layer.attn_norm_bias = vector(from.attn_norm_bias);
        layer.q_bias = vector(from.attn_q_bias);
        layer.k_bias = vector(from.attn_k_bias);
        layer.v_bias = vector(from.attn_v_bias);
        layer.output_bias = vector(from.attn_output_bias);
        layer.ffn_norm = vector(from.ffn_norm);
        layer.ffn_norm_bias = vector(from.ffn_norm_bias);
        layer.down_bias = vector(from.ffn_down_bias);
        layer.attn_q = matrix(from.attn_q);
        layer.attn_k = matrix(from.attn_k);
        layer.attn_v = matrix(from.attn_v);
        layer.attn_output = matrix(from.attn_output);
    }
    return weights;
}

}  // namespace hearth
