#include "cpu/cpu_weights.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "base/assert.h"
#include "cpu/neuron_form.h"
#include "cpu/pack_rows.h"
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

// Calls visit(tensor) for every tensor held by itself, each once, null for what a model has not,
// and after a layer's tensors visit_block(its index) for its feed-forward matrices and predictor.
// In the order of the arena, which is about that of files: read-ahead only looks forward.
template <class Visit, class VisitBlock>
void for_each_tensor(const ModelTensors& tensors, Visit&& visit, VisitBlock&& visit_block) {
    visit(tensors.token_embd);
    visit(tensors.position_embd);
    for (std::size_t i = 0; i < tensors.layers.size(); ++i) {
        const LayerTensors& layer = tensors.layers[i];
        for (const TensorInfo* tensor :
             {layer.attn_norm, layer.attn_norm_bias, layer.attn_q, layer.attn_k, layer.attn_v,
              layer.attn_q_bias, layer.attn_k_bias, layer.attn_v_bias, layer.attn_output,
              layer.attn_output_bias, layer.ffn_norm, layer.ffn_norm_bias, layer.ffn_up_bias,
              layer.ffn_down_bias}) {
            visit(tensor);
        }
        visit_block(i);
    }
    visit(tensors.output_norm);
    visit(tensors.output_norm_bias);
    visit(tensors.rope_freqs);
    visit(tensors.output == tensors.token_embd ? nullptr : tensors.output);
}

// One feed-forward block: what lies where, from the block's own beginning.
struct BlockLayout {
    struct Matrix {
        NeuronRows source;
        std::uint64_t tiles_at = 0;  // where its tiles begin, unless it is in rows
        CpuNeuronRows::Part CpuNeuronRows::*part = nullptr;  // null: tiles
    };
    std::vector<Matrix> by_neuron;  // gate, up, down: those that are read neuron by neuron
    std::uint64_t down_at = 0;      // tiles of a down projection that is stored by output
    CpuNeuronRows rows;
    std::uint64_t rows_at = 0;
    std::uint64_t fc1_at = 0;
    std::uint64_t fc2_at = 0;
    std::uint64_t bytes = 0;
    bool sparse = false;  // single tokens compute single neurons
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

// Rows cost nothing where single neurons are computed and a little where all are; tiles are the
// fastest way to compute all. So the gate lies in tiles unless a predictor chooses its rows.
BlockLayout lay_out(const ModelSpec& spec, const LayerTensors& layer, FeedForwardMode mode) {
    const auto has_rows = [](const NeuronRows& rows) {
        return !rows.present() || kernels::has_row_form(row_form_type(rows.type));
    };
    const bool sparse = is_sparse(spec.activation) && mode != FeedForwardMode::Dense &&
                        has_rows(layer.ffn_up) && has_rows(layer.ffn_gate);
    const bool predicted =
        sparse && mode == FeedForwardMode::Predicted && layer.predictor.present();
    const auto n_ff = static_cast<std::uint64_t>(spec.n_ff);
    BlockLayout block;
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
    const auto place = [&](const NeuronRows& source, CpuNeuronRows::Part CpuNeuronRows::*part,
                           bool in_rows) {
        if (!source.present()) {
            return;
        }
        if (in_rows) {
            CpuNeuronRows::Part& here = block.rows.*part;
            here = {row_form_type(source.type), block.rows.stride,
                    row_form_bytes(source.type, source.cols)};
            block.rows.stride += here.bytes;
            block.by_neuron.push_back({source, 0, part});
        } else {
            block.by_neuron.push_back({source, block.bytes, nullptr});
            block.bytes += tiles_bytes(source.type, n_ff, static_cast<std::uint64_t>(source.cols));
        }
    };
    place(layer.ffn_gate, &CpuNeuronRows::gate, predicted);
    place(layer.ffn_up, &CpuNeuronRows::up, is_gated(spec.activation) ? sparse : predicted);
    place(layer.ffn_down_t, &CpuNeuronRows::down, true);
    if (layer.ffn_down != nullptr) {
        block.down_at = block.bytes;
        block.bytes += held_bytes(*layer.ffn_down);
    }
    block.rows_at = block.bytes;
    block.bytes += block.rows.stride * n_ff;
    if (predicted) {
        block.fc1_at = block.bytes;
        block.bytes += held_bytes(*layer.predictor.fc1);
        block.fc2_at = block.bytes;
        block.bytes += held_bytes(*layer.predictor.fc2);
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
    dequantize_row(tensor.type, raw.data(),
                   {reinterpret_cast<float*>(place), static_cast<std::size_t>(tensor.values())});
    return {};
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

// Reads, and keeps the disk busy ahead of the threads, which read 256 KiB at a time and pack in
// between. Any thread.
class Reader {
public:
    explicit Reader(const InputFile& file) : file_(file) {}

    Result<void> read(std::uint64_t offset, std::span<std::byte> out) {
        if (offset < ask_until_.load(std::memory_order_relaxed)) {
            ask_ahead(offset + out.size());
        }
        const auto start = std::chrono::steady_clock::now();
        auto status = file_.read_at(offset, out);
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        if (static_cast<double>(out.size()) < kCacheBytesPerS * took.count()) {
            ask_until_.store(offset + 2 * kAheadBytes, std::memory_order_relaxed);
        }
        return status;
    }

private:
    void ask_ahead(std::uint64_t end) {
        const std::uint64_t wanted = end + kAheadBytes;
        std::uint64_t asked = asked_.load(std::memory_order_relaxed);
        const std::uint64_t from = std::max(asked, end);
        if (wanted >= from + kStepBytes &&
            asked_.compare_exchange_strong(asked, wanted, std::memory_order_relaxed)) {
            file_.will_read(from, wanted - from);
        }
    }

    static constexpr std::uint64_t kAheadBytes = std::uint64_t{32} << 20;
    static constexpr std::uint64_t kStepBytes = std::uint64_t{8} << 20;
    // A slower read came from the disk, and what follows for a while will too. The page cache gives
    // a thread 10 GB/s, and asking for what is there already costs a look at every page.
    static constexpr double kCacheBytesPerS = 4e9;

    const InputFile& file_;
    std::atomic<std::uint64_t> asked_{0};
    std::atomic<std::uint64_t> ask_until_{0};
};

Result<void> read_matrix(Reader& reader, const TensorInfo& tensor, ThreadPool& pool,
                         std::span<std::vector<std::byte>> staging, std::byte* place) {
    const std::uint64_t row_size = row_bytes(tensor.type, tensor.cols());
    const std::uint64_t tile_size = row_size * kernels::kTileRows;
    const std::uint64_t held_row_size = row_bytes(held_type(tensor.type), tensor.cols());
    const std::uint64_t n_tiles = (tensor.rows() + kernels::kTileRows - 1) / kernels::kTileRows;
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
            std::min(tensor.rows() - first_row, tiles_per_task * kernels::kTileRows);
        std::vector<std::byte>& rows = staging[static_cast<std::size_t>(worker)];
        if (auto read = reader.read(tensor.offset + first_row * row_size,
                                    std::span(rows).first(n_rows * row_size));
            !read) {
            failure.set(std::move(read).error());
            return;
        }
        for (std::uint64_t row = 0; row < n_rows; row += kernels::kTileRows) {
            pack_tile(tensor.type, rows.data() + row * row_size,
                      static_cast<int>(std::min<std::uint64_t>(kernels::kTileRows, n_rows - row)),
                      static_cast<int>(tensor.cols()), place + (first_row + row) * held_row_size);
        }
    });
    if (failure.failed()) {
        return failure.error();
    }
    return {};
}

Result<void> read_columns(Reader& reader, const TensorInfo& tensor, ThreadPool& pool,
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
        if (auto read = reader.read(tensor.offset + first * row_size,
                                    std::span(rows).first(n_rows * row_size));
            !read) {
            failure.set(std::move(read).error());
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
    NeuronLoader(Reader& reader, ThreadPool& pool, std::span<std::vector<std::byte>> staging,
                 int n_ff)
        : reader_(reader),
          pool_(pool),
          staging_(staging),
          n_ff_(static_cast<std::uint64_t>(n_ff)) {}

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
        FirstError failure;
        pool_.run(static_cast<int>((n_ff_ + step - 1) / step), [&](int task, int worker) {
            if (failure.failed()) {
                return;
            }
            const std::uint64_t first = static_cast<std::uint64_t>(task) * step;
            const std::uint64_t count = std::min(n_ff_ - first, step);
            std::vector<std::byte>& rows = staging_[static_cast<std::size_t>(worker)];
            if (auto read = reader_.read(tensor.offset + first * stride,
                                         std::span(rows).first(count * stride));
                !read) {
                failure.set(std::move(read).error());
                return;
            }
            for (const BlockLayout::Matrix* matrix : matrices) {
                put(*matrix, block, rows.data(), first, count, base);
            }
        });
        if (failure.failed()) {
            return failure.error();
        }
        return {};
    }

private:
    static void put(const BlockLayout::Matrix& matrix, const BlockLayout& block,
                    const std::byte* records, std::uint64_t first, std::uint64_t count,
                    std::byte* base) {
        const NeuronRows& source = matrix.source;
        const std::byte* rows = records + source.offset;
        const std::uint64_t step = matrix.part == nullptr ? kernels::kTileRows : 1;
        for (std::uint64_t i = 0; i < count; i += step) {
            if (matrix.part != nullptr) {
                to_row_form(source.type, rows + i * source.stride, source.cols,
                            base + block.rows_at + (first + i) * block.rows.stride +
                                (block.rows.*matrix.part).offset);
            } else {
                const std::uint64_t row_size =
                    row_bytes(held_type(source.type), static_cast<std::uint64_t>(source.cols));
                pack_tile(source.type, rows + i * source.stride, source.stride,
                          static_cast<int>(std::min(step, count - i)), source.cols,
                          base + matrix.tiles_at + (first + i) * row_size);
            }
        }
    }

    Reader& reader_;
    ThreadPool& pool_;
    std::span<std::vector<std::byte>> staging_;
    const std::uint64_t n_ff_;
};

PackedMatrix view(const TensorInfo& tensor, const std::byte* place) {
    return {held_type(tensor.type), static_cast<int>(tensor.rows()),
            static_cast<int>(tensor.cols()), place};
}

// Loads one feed-forward block to `base` and fills in the layer's views of it.
Result<void> load_block(const PlanSlice& slice, const LayerTensors& tensors,
                        const BlockLayout& block, Reader& reader, ThreadPool& pool,
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
    NeuronLoader neurons(reader, pool, staging, slice.spec.n_ff);
    std::vector<const TensorInfo*> done;
    for (const BlockLayout::Matrix& matrix : block.by_neuron) {
        const TensorInfo* tensor = matrix.source.tensor;
        if (std::find(done.begin(), done.end(), tensor) == done.end()) {
            done.push_back(tensor);
            if (auto loaded = neurons.load(*tensor, block, base); !loaded) {
                return loaded;
            }
        }
        if (matrix.part == nullptr) {
            PackedMatrix& packed = matrix.source.tensor == tensors.ffn_gate.tensor &&
                                           matrix.source.offset == tensors.ffn_gate.offset
                                       ? layer.ffn_gate
                                       : layer.ffn_up;
            packed = {held_type(matrix.source.type), slice.spec.n_ff, matrix.source.cols,
                      base + matrix.tiles_at};
        }
    }
    layer.sparse = block.sparse;
    layer.neurons = block.rows;
    layer.neurons.data = base + block.rows_at;
    if (tensors.ffn_down != nullptr) {
        if (auto read = read_matrix(reader, *tensors.ffn_down, pool, staging, base + block.down_at);
            !read) {
            return read;
        }
        layer.ffn_down = view(*tensors.ffn_down, base + block.down_at);
    }
    if (block.fc2_at != 0) {
        Reader predictors(slice.tensors.predictor_file->file());
        const LayerPredictor& predictor = tensors.predictor;
        for (const auto& [tensor, at, matrix] :
             {std::tuple{predictor.fc1, block.fc1_at, &layer.predictor_fc1},
              std::tuple{predictor.fc2, block.fc2_at, &layer.predictor_fc2}}) {
            if (auto read = read_matrix(predictors, *tensor, pool, staging, base + at); !read) {
                return read;
            }
            *matrix = view(*tensor, base + at);
        }
        layer.predictor_threshold = predictor.threshold;
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
                                    FeedForwardMode mode) {
    std::uint64_t bytes = 0;
    for_each_tensor(
        tensors,
        [&](const TensorInfo* tensor) { bytes += tensor != nullptr ? held_bytes(*tensor) : 0; },
        [&](std::size_t i) { bytes += lay_out(spec, tensors.layers[i], mode).bytes; });
    return bytes;
}

Result<CpuWeights> CpuWeights::load(const PlanSlice& slice, ThreadPool& pool,
                                    LoadMonitor& monitor) {
    const ModelTensors& tensors = slice.tensors;
    const std::uint64_t total_bytes = bytes_for(slice.spec, tensors, slice.plan.mode);
    auto arena = slice.ledger.allocate(Purpose::Weights, total_bytes, "weights");
    if (!arena) {
        return std::move(arena).error();
    }
    CpuWeights weights;
    weights.arena_ = std::move(*arena);

    std::vector<std::vector<std::byte>> staging(static_cast<std::size_t>(pool.n_threads()));
    std::vector<std::pair<const TensorInfo*, std::byte*>> places;
    Reader reader(slice.file.file());
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
        tensors,
        [&](const TensorInfo* tensor) {
            if (tensor == nullptr || !status) {
                return;
            }
            std::byte* place = weights.arena_.data() + offset;
            status = is_vector(*tensor) ? read_vector(slice.file.file(), *tensor, place)
                                        : read_matrix(reader, *tensor, pool, staging, place);
            places.emplace_back(tensor, place);
            loaded_to(offset + held_bytes(*tensor));
        },
        [&](std::size_t i) {
            if (!status) {
                return;
            }
            const BlockLayout block = lay_out(slice.spec, tensors.layers[i], slice.plan.mode);
            status = load_block(slice, tensors.layers[i], block, reader, pool, staging,
                                weights.arena_.data() + offset, weights.layers[i]);
            loaded_to(offset + block.bytes);
        });
    if (!status) {
        return std::move(status).error();
    }
    HEARTH_ASSERT(offset == total_bytes);

    const auto place_of = [&](const TensorInfo* tensor) {
        const auto found = std::find_if(places.begin(), places.end(),
                                        [&](const auto& pair) { return pair.first == tensor; });
        HEARTH_ASSERT(found != places.end());
        return found->second;
    };
    const auto matrix = [&](const TensorInfo* tensor) { return view(*tensor, place_of(tensor)); };
    const auto vector = [&](const TensorInfo* tensor) {
        return tensor == nullptr
                   ? std::span<const float>{}
                   : std::span<const float>{reinterpret_cast<const float*>(place_of(tensor)),
                                            static_cast<std::size_t>(tensor->values())};
    };
    weights.token_embd = matrix(tensors.token_embd);
    weights.output = matrix(tensors.output);
    if (tensors.position_embd != nullptr) {
        weights.position_embd = matrix(tensors.position_embd);
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
        layer.up_bias = vector(from.ffn_up_bias);
        layer.down_bias = vector(from.ffn_down_bias);
        layer.attn_q = matrix(from.attn_q);
        layer.attn_k = matrix(from.attn_k);
        layer.attn_v = matrix(from.attn_v);
        layer.attn_output = matrix(from.attn_output);
    }
    return weights;
}

}  // namespace hearth
