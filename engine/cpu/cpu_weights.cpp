#include "cpu/cpu_weights.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "base/assert.h"
#include "base/first_error.h"
#include "cpu/neuron_form.h"
#include "cpu/pack_rows.h"
#include "cpu/up_form.h"
#include "cpu/weight_reader.h"
#include "gguf/encoding.h"
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

std::uint64_t held_bytes(Role role, const Weight& weight) {
    return aligned(row_of(role).is_vector() ? weight.values() * sizeof(float)
                                            : packed_bytes(weight.type, weight.rows, weight.cols));
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

// Calls visit(layer, role, weight) for every weight that the processor holds whole, each once
// (layer: kNoLayer for the model's own), and after a layer's weights visit_block(its index) for its
// neurons and predictor, if any of them are the processor's. In the order of the arena, which is
// about that of files: read-ahead only looks forward.
template <class Visit, class VisitBlock>
void for_each_weight(const ModelSpec& spec, const ModelTensors& tensors, const GpuPart& on_gpu,
                     Visit&& visit, VisitBlock&& visit_block) {
    const auto visit_part = [&](Part part, int layer, const ByRole<Weight>& weights) {
        for (const RoleRow& row : layer == kNoLayer ? model_roles() : layer_roles()) {
            const Weight& weight = weights[row.role];
            if (row.part == part && weight.present()) {
                visit(layer, row.role, weight);
            }
        }
    };
    visit_part(Part::Embedding, kNoLayer, tensors.weights);
    bool any_attention = false;
    for (std::size_t i = 0; i < tensors.layers.size(); ++i) {
        const LayerTensors& layer = tensors.layers[i];
        const auto index = static_cast<int>(i);
        const bool attention = !on_gpu.has_attention(index);
        any_attention = any_attention || attention;
        if (attention) {
            visit_part(Part::Attention, index, layer.weights);
        }
        const RowChoice neurons = own_neurons(spec, on_gpu, i);
        if (neurons.count == 0) {
            continue;
        }
        if (!attention || !layer[Role::FfnNorm].same_as(layer[Role::AttnNorm])) {
            visit_part(Part::BlockInput, index, layer.weights);
        }
        if (neurons.first == 0) {
            visit_part(Part::FirstNeuron, index, layer.weights);
        }
        visit_block(i);
    }
    if (!on_gpu.output_in_vram) {
        ByRole<Weight> output = tensors.weights;
        if (output[Role::Output].same_as(output[Role::TokenEmbd])) {
            output[Role::Output] = {};
        }
        visit_part(Part::Output, kNoLayer, output);
    }
    if (any_attention) {
        visit_part(Part::Rope, kNoLayer, tensors.weights);
    }
}

// The neurons of one feed-forward block: what lies where, from the block's own beginning.
struct BlockLayout {
    enum class Form { Tiles, Rows, Columns };
    struct Matrix {
        Role role;
        Weight source;
        Form form;
        std::uint64_t at;  // where it begins
    };
    RowChoice neurons;             // their up bias stands first
    std::vector<Matrix> matrices;  // in their order
    bool two_forms = false;        // there is room for up in tiles where it lies in rows
    std::uint64_t bytes = 0;
    bool sparse = false;     // single tokens compute single neurons
    bool predicted = false;  // those a predictor names
};

std::uint64_t tiles_bytes(DType type, std::uint64_t rows, std::uint64_t cols) {
    return aligned(packed_bytes(type, rows, cols));
}

bool is_by_neuron(Role role, const Weight& weight) {
    return row_of(role).rows == Dim::Ff || weight.by_neuron;
}

// Of the neurons of `own`.
std::uint64_t form_bytes(const BlockLayout::Matrix& matrix, BlockLayout::Form form,
                         const RowChoice& own) {
    const Weight& of = matrix.source;
    const auto cols = static_cast<int>(of.cols);
    switch (form) {
        case BlockLayout::Form::Rows:
            return row_form_bytes(of.type, cols) * own.count;
        case BlockLayout::Form::Columns:
            return column_form_bytes(of.type, static_cast<int>(of.rows), cols);
        case BlockLayout::Form::Tiles:
            break;
    }
    if (matrix.role == Role::PredictorFc1) {
        return held_bytes(matrix.role, of);
    }
    return is_by_neuron(matrix.role, of) ? tiles_bytes(of.type, own.count, of.cols)
                                         : tiles_bytes(of.type, of.rows, own.count);
}

// Tiles are the fastest way to compute all neurons, rows the only one to compute some. So the gate
// lies in tiles unless a predictor chooses its rows, and where up may be computed either way there
// is room for the larger of its forms, mostly the same number of bytes.
BlockLayout lay_out(const LayerSpec& spec, const LayerTensors& layer, FeedForwardMode mode,
                    const RowChoice& neurons, bool gpu_predicts) {
    using Form = BlockLayout::Form;
    const auto has_rows = [&](Role role) {
        return !layer[role].present() || encoding_of(layer[role].type).has(Layout::NeuronRow);
    };
    const bool by_input = mode == FeedForwardMode::Thresholded;
    const bool gated = is_gated(spec.activation);
    BlockLayout block;
    block.neurons = neurons;
    block.sparse = !by_input && is_sparse(spec.activation) && mode != FeedForwardMode::Dense &&
                   has_rows(Role::Up) && has_rows(Role::Gate);
    block.predicted = block.sparse && mode == FeedForwardMode::Predicted && layer.has_predictor();
    block.two_forms = block.sparse && gated && !block.predicted;
    if (layer[Role::UpBias].present() && !by_input) {
        block.bytes = aligned(neurons.count * sizeof(float));
    }
    const auto place = [&](Role role, bool in_rows) {
        if (!layer[role].present()) {
            return;
        }
        const Form form = by_input ? Form::Columns : in_rows ? Form::Rows : Form::Tiles;
        block.matrices.push_back({role, layer[role], form, block.bytes});
        const BlockLayout::Matrix& matrix = block.matrices.back();
        std::uint64_t room = form_bytes(matrix, form, neurons);
        if (block.two_forms && role == Role::Up) {
            room = std::max(room, form_bytes(matrix, Form::Tiles, neurons));
        }
        block.bytes += room;
    };
    place(Role::Gate, block.predicted);
    place(Role::Up, gated ? block.sparse : block.predicted);
    place(Role::Down, layer[Role::Down].by_neuron);
    if (block.predicted && !gpu_predicts) {
        place(Role::PredictorFc1, false);
        place(Role::PredictorFc2, false);
    }
    return block;
}

Result<void> read_vector(const InputFile& file, const Weight& weight, std::byte* place) {
    std::vector<std::byte> raw(weight.bytes());
    if (auto read = file.read_at(weight.in_file(), raw); !read) {
        return read;
    }
    const std::span<float> values(reinterpret_cast<float*>(place),
                                  static_cast<std::size_t>(weight.values()));
    dequantize_row(weight.type, raw.data(), values);
    if (!all_finite(values)) {
        return not_finite(weight.tensor->name, "value", values);
    }
    return {};
}

// Of rows [first, first + count) of a choice, which lie one after the other: Inf and NaN are an
// error.
Result<void> check_rows(const Weight& weight, const std::byte* rows, const RowChoice& choice,
                        std::uint64_t first, std::uint64_t count) {
    const std::uint64_t stride = weight.stride;
    if (rows_are_finite(weight.type, rows, count, stride, weight.cols)) {
        return {};
    }
    std::uint64_t i = 0;
    while (rows_are_finite(weight.type, rows + i * stride, 1, stride, weight.cols)) {
        ++i;
    }
    return rows_not_finite(weight.tensor->name, weight.type, rows + i * stride, 1, stride,
                           weight.cols, choice.in_file(first + i));
}

// Part of a stored matrix: some of its rows, and of each the columns from first_col on.
struct MatrixPart {
    explicit MatrixPart(const Weight& all) : MatrixPart(all, {all.rows}, 0, all.cols) {}
    MatrixPart(const Weight& of, const RowChoice& chosen, std::uint64_t first, std::uint64_t n)
        : weight(of), rows(chosen), first_col(first), n_cols(n) {}
    Weight weight;
    RowChoice rows;
    std::uint64_t first_col;
    std::uint64_t n_cols;
};

// Its tiles to `place`.
Result<void> read_matrix(WeightReader& reader, const MatrixPart& part, ThreadPool& pool,
                         std::span<std::vector<std::byte>> staging, std::byte* place) {
    const Weight& weight = part.weight;
    const std::uint64_t row_size = weight.row_size();
    const std::uint64_t skipped = row_bytes(weight.type, part.first_col);
    const std::uint64_t tile_size = row_size * kernels::kTileRows;
    const std::uint64_t held_row_size = row_bytes(weight.type, part.n_cols);
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
        if (auto read = reader.read(weight.in_file(), row_size, part.rows, first_row, n_rows,
                                    std::span(rows));
            !read) {
            failure.set(std::move(read).error());
            return;
        }
        if (auto fine = check_rows(weight, rows.data(), part.rows, first_row, n_rows); !fine) {
            failure.set(std::move(fine).error());
            return;
        }
        for (std::uint64_t row = 0; row < n_rows; row += kernels::kTileRows) {
            pack_tile(weight.type, rows.data() + row * row_size + skipped, row_size,
                      static_cast<int>(std::min<std::uint64_t>(kernels::kTileRows, n_rows - row)),
                      static_cast<int>(part.n_cols), place + (first_row + row) * held_row_size);
        }
    });
    if (failure.failed()) {
        return failure.error();
    }
    return {};
}

Result<void> read_columns(WeightReader& reader, const Weight& weight, ThreadPool& pool,
                          std::span<std::vector<std::byte>> staging, std::byte* place) {
    constexpr std::uint64_t kRows = kernels::kColumnGroup;
    const std::uint64_t row_size = weight.row_size();
    for (std::vector<std::byte>& rows : staging) {
        rows.resize(std::max<std::size_t>(rows.size(), kRows * row_size));
    }
    FirstError failure;
    pool.run(static_cast<int>((weight.rows + kRows - 1) / kRows), [&](int task, int worker) {
        if (failure.failed()) {
            return;
        }
        const std::uint64_t first = static_cast<std::uint64_t>(task) * kRows;
        const std::uint64_t n_rows = std::min(weight.rows - first, kRows);
        std::vector<std::byte>& rows = staging[static_cast<std::size_t>(worker)];
        if (auto read = reader.read(weight.in_file(), row_size, {weight.rows}, first, n_rows,
                                    std::span(rows));
            !read) {
            failure.set(std::move(read).error());
            return;
        }
        if (auto fine = check_rows(weight, rows.data(), {weight.rows}, first, n_rows); !fine) {
            failure.set(std::move(fine).error());
            return;
        }
        to_column_form(weight.type, rows.data(), static_cast<int>(first), static_cast<int>(n_rows),
                       static_cast<int>(weight.rows), static_cast<int>(weight.cols), place);
    });
    if (failure.failed()) {
        return failure.error();
    }
    return {};
}

// Whether its rows are read neuron by neuron, to be put into tiles or rows.
bool is_read_by_neuron(const BlockLayout::Matrix& matrix) {
    return row_of(matrix.role).part == Part::Neurons && matrix.form != BlockLayout::Form::Columns &&
           is_by_neuron(matrix.role, matrix.source);
}

// Reads the rows of some neurons once, and puts each matrix among them where the layout says.
class NeuronLoader {
public:
    NeuronLoader(WeightReader& reader, ThreadPool& pool, std::span<std::vector<std::byte>> staging)
        : reader_(reader), pool_(pool), staging_(staging) {}

    // `tensor`: of the matrices, those that lie in it.
    Result<void> load(const TensorInfo& tensor, const BlockLayout& block, std::byte* base) {
        std::vector<const BlockLayout::Matrix*> matrices;
        for (const BlockLayout::Matrix& matrix : block.matrices) {
            if (matrix.source.tensor == &tensor && is_read_by_neuron(matrix)) {
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
                if (auto fine = check_rows(matrix->source, rows.data() + matrix->source.offset,
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
        const Weight& source = matrix.source;
        const std::byte* rows = records + source.offset;
        const auto cols = static_cast<int>(source.cols);
        const bool in_rows = matrix.form == BlockLayout::Form::Rows;
        const std::uint64_t row_size =
            in_rows ? row_form_bytes(source.type, cols) : row_bytes(source.type, source.cols);
        const std::uint64_t step = in_rows ? 1 : kernels::kTileRows;
        for (std::uint64_t i = 0; i < count; i += step) {
            std::byte* to = base + matrix.at + (first + i) * row_size;
            if (in_rows) {
                to_row_form(source.type, rows + i * source.stride, cols, to);
            } else {
                pack_tile(source.type, rows + i * source.stride, source.stride,
                          static_cast<int>(std::min(step, count - i)), cols, to);
            }
        }
    }

    WeightReader& reader_;
    ThreadPool& pool_;
    std::span<std::vector<std::byte>> staging_;
};

PackedMatrix view(DType file_type, std::uint64_t rows, std::uint64_t cols, const std::byte* place) {
    return {file_type, static_cast<int>(rows), static_cast<int>(cols), place};
}

// The columns of the neurons of a down projection that is stored by output.
MatrixPart columns_of(const Weight& down, const RowChoice& neurons) {
    const std::uint64_t first = neurons.in_file(0);
    const std::uint64_t block = dtype_info(down.type).block_values;
    HEARTH_ASSERT(first % block == 0 && neurons.count % block == 0);
    for (std::uint64_t i = 1; i < neurons.count && !neurons.order.empty(); ++i) {
        HEARTH_ASSERT(neurons.in_file(i) == first + i);
    }
    return {down, {down.rows}, first, neurons.count};
}

Result<void> load_up_bias(const InputFile& file, const Weight& bias, const RowChoice& neurons,
                          std::byte* place, std::span<const float>& view) {
    std::vector<float> all(bias.values());
    if (auto read = read_vector(file, bias, reinterpret_cast<std::byte*>(all.data())); !read) {
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
class BlockLoader {
public:
    BlockLoader(const PlanSlice& slice, const BlockLayout& block, WeightReader& reader,
                ThreadPool& pool, std::span<std::vector<std::byte>> staging, std::byte* base)
        : slice_(slice),
          block_(block),
          reader_(reader),
          pool_(pool),
          staging_(staging),
          base_(base) {}

    Result<void> load(const LayerTensors& tensors, CpuLayer& layer) {
        layer.sparse = block_.sparse;
        layer.predicted = block_.predicted;
        layer.predictor_threshold = tensors.predictor_threshold;
        layer.input_threshold = tensors.input_threshold;
        layer.hidden_threshold = tensors.hidden_threshold;
        const bool by_input = block_.matrices.front().form == BlockLayout::Form::Columns;
        if (const Weight& bias = tensors[Role::UpBias]; bias.present() && !by_input) {
            if (auto loaded = load_up_bias(slice_.file.file(), bias, block_.neurons, base_,
                                           layer.vectors[Role::UpBias]);
                !loaded) {
                return loaded;
            }
        }
        for (const BlockLayout::Matrix& matrix : block_.matrices) {
            if (auto loaded = load(matrix, layer); !loaded) {
                return loaded;
            }
        }
        return {};
    }

private:
    Result<void> load(const BlockLayout::Matrix& matrix, CpuLayer& layer) {
        const Weight& source = matrix.source;
        std::byte* place = base_ + matrix.at;
        if (matrix.form == BlockLayout::Form::Columns) {
            layer.columns[matrix.role] = {source.type, static_cast<int>(source.rows),
                                          static_cast<int>(source.cols), place};
            return read_columns(reader_, source, pool_, staging_, place);
        }
        if (is_read_by_neuron(matrix)) {
            return load_neurons(matrix, layer);
        }
        if (matrix.role == Role::Down) {
            return load_tiles(reader_, columns_of(source, block_.neurons), matrix, layer);
        }
        WeightReader predictors(slice_.tensors.predictor_file->file());
        return load_tiles(predictors,
                          matrix.role == Role::PredictorFc1
                              ? MatrixPart(source)
                              : MatrixPart(source, block_.neurons, 0, source.cols),
                          matrix, layer);
    }

    Result<void> load_tiles(WeightReader& reader, const MatrixPart& part,
                            const BlockLayout::Matrix& matrix, CpuLayer& layer) {
        layer.tiles[matrix.role] =
            view(part.weight.type, part.rows.count, part.n_cols, base_ + matrix.at);
        return read_matrix(reader, part, pool_, staging_, base_ + matrix.at);
    }

    Result<void> load_neurons(const BlockLayout::Matrix& matrix, CpuLayer& layer) {
        const Weight& source = matrix.source;
        std::byte* place = base_ + matrix.at;
        if (matrix.form == BlockLayout::Form::Rows) {
            layer.rows[matrix.role] = {source.type, place,
                                       row_form_bytes(source.type, static_cast<int>(source.cols))};
            if (block_.two_forms && matrix.role == Role::Up) {
                layer.two_forms = true;
                layer.up_place = place;
            }
        } else {
            layer.tiles[matrix.role] = view(source.type, block_.neurons.count, source.cols, place);
        }
        // Matrices of one tensor, which packed records are, come with the first of them.
        if (std::find(done_.begin(), done_.end(), source.tensor) != done_.end()) {
            return {};
        }
        done_.push_back(source.tensor);
        return NeuronLoader(reader_, pool_, staging_).load(*source.tensor, block_, base_);
    }

    const PlanSlice& slice_;
    const BlockLayout& block_;
    WeightReader& reader_;
    ThreadPool& pool_;
    std::span<std::vector<std::byte>> staging_;
    std::byte* base_;
    std::vector<const TensorInfo*> done_;
};

bool by_input(const Encoding& encoding) {
    return encoding.has(Layout::InputColumn);
}

}  // namespace

Result<void> CpuWeights::can_lie_by_input(const ModelTensors& tensors) {
    const auto check = [](const Weight& weight) -> Result<void> {
        if (!weight.present() || !weight.is_matrix_alone() || weight.by_neuron) {
            return Error{ErrorCode::Unsupported,
                         "thresholds need gate, up and down as three matrices by output; this file "
                         "stores neurons one by one, or has no gate",
                         {},
                         "mode"};
        }
        if (!by_input(encoding_of(weight.type))) {
            return Error{ErrorCode::Unsupported,
                         weight.tensor->name + ": is of type " +
                             std::string(dtype_info(weight.type).name) + "; thresholds work on " +
                             encoding_names(by_input) + " (hearth-cli quantize makes such a file)",
                         {},
                         weight.tensor->name};
        }
        return {};
    };
    for (const LayerTensors& layer : tensors.layers) {
        for (const Role role : {Role::Gate, Role::Up, Role::Down}) {
            if (auto fine = check(layer[role]); !fine) {
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
    for_each_weight(
        spec, tensors, on_gpu,
        [&](int, Role role, const Weight& weight) { bytes += held_bytes(role, weight); },
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
    weights.held_.resize(tensors.layers.size() + 1);
    weights.numbers_.resize(tensors.layers.size());
    for_each_weight(
        slice.spec, tensors, on_gpu,
        [&](int index, Role role, const Weight& weight) {
            if (!status) {
                return;
            }
            std::byte* place = weights.arena_.data() + offset;
            CpuLayer& layer = weights.held_[weights.place_of(index)];
            if (row_of(role).is_vector()) {
                layer.vectors[role] = {reinterpret_cast<const float*>(place),
                                       static_cast<std::size_t>(weight.values())};
                status = read_vector(slice.file.file(), weight, place);
            } else {
                layer.tiles[role] = view(weight.type, weight.rows, weight.cols, place);
                status = read_matrix(reader, MatrixPart(weight), pool, staging, place);
            }
            loaded_to(offset + held_bytes(role, weight));
        },
        [&](std::size_t i) {
            if (!status) {
                return;
            }
            const RowChoice own = own_neurons(slice.spec, on_gpu, i);
            const BlockLayout block =
                lay_out(slice.spec.layers[i], tensors.layers[i], slice.plan.mode, own,
                        on_gpu.has_predictor(static_cast<int>(i)));
            CpuLayer& layer = weights.held_[i];
            layer.n_neurons = static_cast<int>(own.count);
            layer.first = static_cast<int>(own.first);
            if (!own.order.empty()) {
                const auto numbers = own.order.subspan(own.first);
                weights.numbers_[i].assign(numbers.begin(), numbers.end());
                layer.numbers = weights.numbers_[i];
            }
            status =
                BlockLoader(slice, block, reader, pool, staging, weights.arena_.data() + offset)
                    .load(tensors.layers[i], layer);
            loaded_to(offset + block.bytes);
        });
    if (!status) {
        return std::move(status).error();
    }
    HEARTH_ASSERT(offset == total_bytes);

    if (!on_gpu.output_in_vram && tensors[Role::Output].same_as(tensors[Role::TokenEmbd])) {
        ByRole<PackedMatrix>& model = weights.held_.back().tiles;
        model[Role::Output] = model[Role::TokenEmbd];
    }
    for (std::size_t i = 0; i < tensors.layers.size(); ++i) {
        const LayerTensors& from = tensors.layers[i];
        CpuLayer& layer = weights.held_[i];
        if (layer.has_attention() && from[Role::FfnNorm].same_as(from[Role::AttnNorm])) {
            layer.vectors[Role::FfnNorm] = layer.vectors[Role::AttnNorm];
            layer.vectors[Role::FfnNormBias] = layer.vectors[Role::AttnNormBias];
        }
    }
    weights.shapes_.reserve(weights.held_.size());
    for (const CpuLayer& layer : weights.held_) {
        weights.shapes_.push_back(without_bytes(layer));
    }
    return weights;
}

CpuLayer CpuWeights::without_bytes(const CpuLayer& layer) {
    CpuLayer shapes = layer;
    shapes.vectors = {};
    for (std::size_t role = 0; role < kRoles; ++role) {
        shapes.tiles.all[role].data = nullptr;
        shapes.rows.all[role].data = nullptr;
        shapes.columns.all[role].data = nullptr;
    }
    shapes.up_place = nullptr;
    return shapes;
}

Result<WeightLease> CpuWeights::lease(Part part, int layer, std::span<const Cluster> places) const {
    const CpuLayer& held = held_[place_of(layer)];
    HEARTH_ASSERT(part != Part::Attention || held.has_attention());
    HEARTH_ASSERT(part != Part::Output || held.tiles[Role::Output].present());
    for (const Cluster& cluster : places) {
        HEARTH_ASSERT(cluster.layer == layer);
        [[maybe_unused]] const Cluster own = held.own(cluster);  // asserts that they are here
    }
    return WeightLease(held);
}

}  // namespace hearth
