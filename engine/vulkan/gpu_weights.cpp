#include "vulkan/gpu_weights.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <initializer_list>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/assert.h"
#include "gguf/finite.h"
#include "gguf/rows.h"
#include "include/params.h"

namespace hearth::vulkan {
namespace {

// Rows of a result come from files in these ways: row i of a tensor, a run of its columns, or the
// rows of one neuron somewhere in it.
struct RowSource {
    const GgufFile* file = nullptr;
    const TensorInfo* tensor = nullptr;
    DType type{};
    std::uint64_t cols = 0;    // of a row of the file
    std::uint64_t offset = 0;  // of row 0 in the tensor
    std::uint64_t stride = 0;
    std::uint64_t first_col = 0;  // of the part that is wanted
};

RowSource rows_of(const GgufFile& file, const TensorInfo& tensor) {
    return {&file, &tensor, tensor.type, tensor.cols(), 0, row_bytes(tensor.type, tensor.cols()),
            0};
}

RowSource rows_of(const GgufFile& file, const NeuronRows& rows) {
    return {&file,       rows.tensor, rows.type, static_cast<std::uint64_t>(rows.cols),
            rows.offset, rows.stride, 0};
}

// A matrix whose row r is row index(r) of sources[r % sources.size()].
struct MatrixJob {
    GpuMatrix* matrix = nullptr;
    std::vector<RowSource> sources;
    std::span<const int> order;  // row r / sources.size() of the file is order[...]; empty: itself
};

struct VectorJob {
    BufferView* view = nullptr;
    const GgufFile* file = nullptr;
    const TensorInfo* tensor = nullptr;
    std::span<const int> order;  // of its values; empty: the first `count` as they are
    std::uint64_t count = 0;
};

// What will be held, in the order of the arena.
struct Jobs {
    std::vector<VectorJob> vectors;
    std::vector<MatrixJob> matrices;

    void vector(BufferView& view, const GgufFile* file, const TensorInfo* tensor,
                std::uint64_t count, std::span<const int> order = {}) {
        if (tensor != nullptr) {
            vectors.push_back({&view, file, tensor, order, count});
        }
    }
    Arena::Pieces pieces() const {
        Arena::Pieces sizes;
        for (const VectorJob& job : vectors) {
            sizes.push_back(job.count * sizeof(float));
        }
        for (const MatrixJob& job : matrices) {
            for (const GpuMatrix::Slice& slice : job.matrix->slices) {
                sizes.push_back(slice.layout.bytes);
            }
        }
        return sizes;
    }
};

GpuMatrix plan_tensor(const TensorInfo& tensor, const GpuLimits& limits) {
    return plan_matrix(tensor.type, tensor.rows(), tensor.cols(), 1, limits.range_bytes_max);
}

void add_matrix(Jobs& jobs, GpuMatrix& matrix, const GgufFile* file, const TensorInfo& tensor,
                const GpuLimits& limits) {
    matrix = plan_tensor(tensor, limits);
    MatrixJob job{&matrix, {}, {}};
    if (file != nullptr) {
        job.sources.push_back(rows_of(*file, tensor));
    }
    jobs.matrices.push_back(std::move(job));
}

void add_attention(Jobs& jobs, GpuLayer& layer, const GgufFile* file, const LayerTensors& tensors,
                   const GpuLimits& limits) {
    layer.attention = true;
    const auto vector = [&](BufferView& view, const TensorInfo* tensor) {
        jobs.vector(view, file, tensor, tensor == nullptr ? 0 : tensor->values());
    };
    vector(layer.attn_norm, tensors.attn_norm);
    vector(layer.attn_norm_bias, tensors.attn_norm_bias);
    vector(layer.ffn_norm, tensors.ffn_norm);
    vector(layer.ffn_norm_bias, tensors.ffn_norm_bias);
    vector(layer.q_bias, tensors.attn_q_bias);
    vector(layer.k_bias, tensors.attn_k_bias);
    vector(layer.v_bias, tensors.attn_v_bias);
    vector(layer.output_bias, tensors.attn_output_bias);
    add_matrix(jobs, layer.q, file, *tensors.attn_q, limits);
    add_matrix(jobs, layer.k, file, *tensors.attn_k, limits);
    add_matrix(jobs, layer.v, file, *tensors.attn_v, limits);
    add_matrix(jobs, layer.attn_output, file, *tensors.attn_output, limits);
}

// order: of all neurons of the layer, empty for the file's own; the first n are the GPU's.
void add_neurons(Jobs& jobs, GpuLayer& layer, const GgufFile* file, const ModelSpec& spec,
                 const LayerTensors& tensors, int n, std::span<const int> order,
                 const GpuLimits& limits) {
    layer.n_neurons = n;
    if (n == 0) {
        return;
    }
    const auto count = static_cast<std::uint64_t>(n);
    const auto n_embd = static_cast<std::uint64_t>(spec.n_embd);
    const std::span<const int> mine =
        order.empty() ? order : order.first(static_cast<std::size_t>(n));
    jobs.vector(layer.up_bias, file, tensors.ffn_up_bias, count, mine);
    jobs.vector(layer.down_bias, file, tensors.ffn_down_bias, n_embd);

    // A matrix of the rows of each neuron, side by side. Slices end where a block of 32 neurons
    // does.
    const auto by_neuron = [&](GpuMatrix& matrix, std::initializer_list<const NeuronRows*> rows) {
        matrix = plan_matrix((*rows.begin())->type, rows.size() * count, n_embd,
                             rows.size() * kBlockColumns, limits.range_bytes_max);
        MatrixJob job{&matrix, {}, mine};
        for (const NeuronRows* one : rows) {
            if (file != nullptr) {
                job.sources.push_back(rows_of(*file, *one));
            }
        }
        jobs.matrices.push_back(std::move(job));
    };
    const NeuronRows& gate = tensors.ffn_gate;
    const NeuronRows& up = tensors.ffn_up;
    if (is_gated(spec.activation()) && gate.type == up.type) {
        by_neuron(layer.neurons, {&gate, &up});
    } else {
        if (is_gated(spec.activation())) {
            by_neuron(layer.gate, {&gate});
        }
        by_neuron(layer.neurons, {&up});
    }
    if (tensors.ffn_down_t.present()) {
        by_neuron(layer.down_rows, {&tensors.ffn_down_t});
    } else {
        const TensorInfo& whole = *tensors.ffn_down;
        layer.down = plan_matrix(whole.type, n_embd, count, 1, limits.range_bytes_max);
        MatrixJob down{&layer.down, {}, {}};
        if (file != nullptr) {
            down.sources.push_back(rows_of(*file, whole));
            down.sources.back().first_col =
                mine.empty() ? 0 : static_cast<std::uint64_t>(mine.front());
        }
        jobs.matrices.push_back(std::move(down));
    }
}

// All of it: it foretells the processor's neurons too.
void add_predictor(Jobs& jobs, GpuLayer& layer, const GgufFile* file,
                   const LayerPredictor& predictor, std::span<const int> order,
                   const GpuLimits& limits) {
    if (!predictor.present()) {
        return;
    }
    layer.predictor_threshold = predictor.threshold;
    add_matrix(jobs, layer.predictor_fc1, file, *predictor.fc1, limits);
    add_matrix(jobs, layer.predictor_fc2, file, *predictor.fc2, limits);
    jobs.matrices.back().order = order;
}

void add_output(Jobs& jobs, BufferView& norm, BufferView& norm_bias, GpuMatrix& output,
                const GgufFile* file, const ModelTensors& tensors, const GpuLimits& limits) {
    jobs.vector(norm, file, tensors.output_norm, tensors.output_norm->values());
    if (tensors.output_norm_bias != nullptr) {
        jobs.vector(norm_bias, file, tensors.output_norm_bias, tensors.output_norm_bias->values());
    }
    add_matrix(jobs, output, file, *tensors.output, limits);
}

// Reads rows into the upload's buffers, a stretch at a time, with all threads.
class Loader {
public:
    Loader(Upload& upload, ThreadPool& pool)
        : upload_(upload), rows_(static_cast<std::size_t>(pool.n_threads())), pool_(pool) {}

    Result<void> vector(const VectorJob& job) {
        std::vector<std::byte> raw(job.tensor->bytes);
        if (auto read = job.file->file().read_at(job.tensor->offset, raw); !read) {
            return read;
        }
        std::vector<float> values(static_cast<std::size_t>(job.tensor->values()));
        dequantize_row(job.tensor->type, raw.data(), values);
        if (!all_finite(values)) {
            return not_finite(job.tensor->name, "value", values);
        }
        auto buffer = upload_.next();
        if (!buffer) {
            return std::move(buffer).error();
        }
        if (job.count * sizeof(float) > Upload::kBufferBytes) {
            return Error{ErrorCode::Unsupported, job.tensor->name + ": too long for a GPU"};
        }
        auto* out = reinterpret_cast<float*>(buffer->data());
        for (std::uint64_t i = 0; i < job.count; ++i) {
            out[i] = values[job.order.empty() ? i : static_cast<std::size_t>(job.order[i])];
        }
        const Upload::Copy copy{0, *job.view};
        return upload_.start({&copy, 1});
    }

    Result<void> matrix(const MatrixJob& job) {
        for (const GpuMatrix::Slice& slice : job.matrix->slices) {
            if (auto loaded = this->slice(job, slice); !loaded) {
                return loaded;
            }
        }
        return {};
    }

private:
    Result<void> slice(const MatrixJob& job, const GpuMatrix::Slice& slice) {
        const MatrixLayout& layout = slice.layout;
        const std::array runs{&layout.quads, &layout.high, &layout.scales, &layout.supers};
        std::uint64_t row_size = 0;
        for (const MatrixLayout::Run* run : runs) {
            row_size += run->row_bytes;
        }
        const std::uint64_t most = (Upload::kBufferBytes - 64) / row_size;
        if (most == 0) {
            return Error{ErrorCode::Unsupported,
                         job.sources.front().tensor->name + ": its rows are too long for a GPU"};
        }
        for (std::uint64_t first = 0; first < layout.rows; first += most) {
            const std::uint64_t count = std::min(most, layout.rows - first);
            auto buffer = upload_.next();
            if (!buffer) {
                return std::move(buffer).error();
            }
            std::array<std::uint64_t, 4> at{};
            std::array<Upload::Copy, 4> copies{};
            std::uint64_t end = 0;
            for (std::size_t r = 0; r < runs.size(); ++r) {
                at[r] = end;
                const std::uint64_t bytes = count * runs[r]->row_bytes;
                copies[r] = {end, slice.view.part(runs[r]->at + first * runs[r]->row_bytes, bytes)};
                end += (bytes + 15) / 16 * 16;
            }
            if (auto read = stretch(job, slice, first, count, buffer->data(), at); !read) {
                return read;
            }
            if (auto started = upload_.start(copies); !started) {
                return started;
            }
        }
        return {};
    }

    Result<void> stretch(const MatrixJob& job, const GpuMatrix::Slice& slice, std::uint64_t first,
                         std::uint64_t count, std::byte* buffer,
                         const std::array<std::uint64_t, 4>& at) {
        const MatrixLayout& layout = slice.layout;
        constexpr std::uint64_t kRowsPerTask = 32;
        std::atomic<bool> failed = false;
        std::mutex mutex;
        std::optional<Error> error;
        const auto n_tasks = static_cast<int>((count + kRowsPerTask - 1) / kRowsPerTask);
        // What a thread needs is made here, where a refusal can still be an error.
        for (std::vector<std::byte>& rows : rows_) {
            for (const RowSource& source : job.sources) {
                rows.resize(std::max<std::size_t>(
                    rows.size(), kRowsPerTask * row_bytes(source.type, source.cols)));
            }
        }
        pool_.run(n_tasks, [&](int task, int worker) {
            const std::uint64_t from = static_cast<std::uint64_t>(task) * kRowsPerTask;
            const std::uint64_t to = std::min(from + kRowsPerTask, count);
            if (failed) {
                return;
            }
            if (auto read = rows(job, layout, slice.first_row + first, from, to,
                                 rows_[static_cast<std::size_t>(worker)], buffer, at);
                !read) {
                const std::lock_guard lock(mutex);
                failed = true;
                if (!error) {
                    error = std::move(read).error();
                }
            }
        });
        if (error) {
            return std::move(*error);
        }
        return {};
    }

    // Rows [from, to) of those from matrix row `base` on.
    Result<void> rows(const MatrixJob& job, const MatrixLayout& layout, std::uint64_t base,
                      std::uint64_t from, std::uint64_t to, std::span<std::byte> file_rows,
                      std::byte* buffer, const std::array<std::uint64_t, 4>& at) {
        const std::uint64_t n_sources = job.sources.size();
        for (std::uint64_t s = 0; s < n_sources; ++s) {
            const RowSource& source = job.sources[s];
            const std::uint64_t size = row_bytes(source.type, source.cols);
            std::uint64_t i = from + (s + n_sources - (base + from) % n_sources) % n_sources;
            while (i < to) {
                // Neighbours in the file are read together.
                const std::uint64_t file_row = row_of(job, (base + i) / n_sources);
                std::uint64_t n = 1;
                while (source.stride == size && i + n * n_sources < to &&
                       row_of(job, (base + i) / n_sources + n) == file_row + n) {
                    ++n;
                }
                const std::span<std::byte> raw = file_rows.first(n * size);
                if (auto read = source.file->file().read_at(
                        source.tensor->offset + source.offset + file_row * source.stride, raw);
                    !read) {
                    return read;
                }
                if (!rows_are_finite(source.type, raw.data(), n, size, source.cols)) {
                    return rows_not_finite(source.tensor->name, source.type, raw.data(), n, size,
                                           source.cols, file_row);
                }
                const RowPlaces runs{buffer + at[0], buffer + at[1], buffer + at[2],
                                     buffer + at[3]};
                for (std::uint64_t k = 0; k < n; ++k) {
                    take_apart(layout, raw.data() + k * size, source.first_col,
                               places_of_row(layout, runs, i + k * n_sources));
                }
                i += n * n_sources;
            }
        }
        return {};
    }

    static std::uint64_t row_of(const MatrixJob& job, std::uint64_t index) {
        return job.order.empty()
                   ? index
                   : static_cast<std::uint64_t>(job.order[static_cast<std::size_t>(index)]);
    }

    Upload& upload_;
    std::vector<std::vector<std::byte>> rows_;  // of the file, by worker
    ThreadPool& pool_;
};

bool fits(const TensorInfo* tensor) {
    return tensor == nullptr ||
           (has_matrix_form(tensor->type) && tensor->cols() % kBlockColumns == 0);
}

}  // namespace

std::uint64_t GpuLayer::attention_bytes() const {
    return q.bytes() + k.bytes() + v.bytes() + attn_output.bytes();
}

std::uint32_t GpuLayer::gates() const {
    return gate.present()                                         ? GATES_APART
           : neurons.rows > static_cast<std::uint64_t>(n_neurons) ? GATES_BESIDE
                                                                  : GATES_NONE;
}

std::string why_not_on_gpu(const ModelSpec& spec, const ModelTensors& tensors) {
    for (const LayerSpec& layer : spec.layers) {
        if (spec.n_embd % kBlockColumns != 0 || layer.n_ff % kBlockColumns != 0 ||
            layer.n_embd_q() % kBlockColumns != 0) {
            return "its rows are no whole blocks of 32";
        }
        if (layer.head_dim > 256 || layer.heads_per_kv() > 16) {
            return "its attention heads are larger than the shaders take";
        }
        if (layer.rope != spec.layers.front().rope) {
            return "its layers rotate positions differently";
        }
    }
    for (const LayerTensors& layer : tensors.layers) {
        if (layer.input_threshold > 0 || layer.hidden_threshold > 0) {
            return "thresholds are applied on the processor only";
        }
        for (const TensorInfo* tensor :
             {layer.attn_q, layer.attn_k, layer.attn_v, layer.attn_output, layer.ffn_down,
              layer.predictor.fc1, layer.predictor.fc2}) {
            if (!fits(tensor)) {
                return tensor->name + " is of a type or shape no shader takes";
            }
        }
    }
    if (!fits(tensors.output)) {
        return tensors.output->name + " is of a type or shape no shader takes";
    }
    return {};
}

std::uint64_t attention_bytes(const ModelSpec&, const LayerTensors& tensors,
                              const GpuLimits& limits) {
    GpuLayer layer;
    Jobs jobs;
    add_attention(jobs, layer, nullptr, tensors, limits);
    return Arena::bytes_for(jobs.pieces());
}

std::uint64_t neurons_bytes(const ModelSpec& spec, const LayerTensors& tensors, int n_neurons,
                            const GpuLimits& limits) {
    GpuLayer held;
    Jobs jobs;
    add_neurons(jobs, held, nullptr, spec, tensors, n_neurons, {}, limits);
    return Arena::bytes_for(jobs.pieces());
}

std::uint64_t predictor_bytes(const LayerTensors& tensors, const GpuLimits& limits) {
    GpuLayer layer;
    Jobs jobs;
    add_predictor(jobs, layer, nullptr, tensors.predictor, {}, limits);
    return Arena::bytes_for(jobs.pieces());
}

std::uint64_t output_bytes(const ModelTensors& tensors, const GpuLimits& limits) {
    BufferView norm;
    BufferView norm_bias;
    GpuMatrix output;
    Jobs jobs;
    add_output(jobs, norm, norm_bias, output, nullptr, tensors, limits);
    return Arena::bytes_for(jobs.pieces());
}

Result<GpuWeights> GpuWeights::load(const PlanSlice& slice, const std::shared_ptr<Device>& device,
                                    Pipelines& pipelines, ThreadPool& pool, LoadMonitor& monitor) {
    const GpuLimits limits{device->features().storage_range_bytes_max};
    const GpuPart on_gpu = slice.plan.on_gpu();
    const GgufFile* file = &slice.file;
    GpuWeights weights;
    weights.layers.resize(slice.tensors.layers.size());
    Jobs jobs;
    for (int i = 0; i < slice.spec.n_layer(); ++i) {
        const auto index = static_cast<std::size_t>(i);
        if (on_gpu.has_attention(i)) {
            add_attention(jobs, weights.layers[index], file, slice.tensors.layers[index], limits);
            add_neurons(jobs, weights.layers[index], file, slice.spec, slice.tensors.layers[index],
                        on_gpu.hot(i), on_gpu.order(i), limits);
            if (slice.plan.mode == FeedForwardMode::Predicted && on_gpu.has_predictor(i)) {
                add_predictor(jobs, weights.layers[index], slice.tensors.predictor_file,
                              slice.tensors.layers[index].predictor, on_gpu.order(i), limits);
            }
        }
    }
    if (on_gpu.output_in_vram) {
        add_output(jobs, weights.output_norm, weights.output_norm_bias, weights.output, file,
                   slice.tensors, limits);
    }
    const Arena::Pieces pieces = jobs.pieces();
    auto arena = Arena::create(device, MemoryKind::Device, pieces, "weights");
    if (!arena) {
        return std::move(arena).error();
    }
    weights.arena_ = std::move(*arena);
    for (const VectorJob& job : jobs.vectors) {
        *job.view = weights.arena_.take(job.count * sizeof(float));
    }
    for (const MatrixJob& job : jobs.matrices) {
        for (GpuMatrix::Slice& part : job.matrix->slices) {
            part.view = weights.arena_.take(part.layout.bytes);
        }
    }

    auto upload = Upload::create(device, pipelines);
    if (!upload) {
        return std::move(upload).error();
    }
    Loader loader(*upload, pool);
    const auto total = static_cast<double>(std::max<std::uint64_t>(weights.arena_.bytes(), 1));
    std::uint64_t done = 0;
    const auto goes_on = [&](std::uint64_t bytes) {
        done += piece_bytes(bytes);
        return monitor.loaded(static_cast<double>(done) / total);
    };
    const auto cancelled = [&] {
        return Error{ErrorCode::Cancelled, "loading was cancelled", slice.file.path(), {}};
    };
    for (const VectorJob& job : jobs.vectors) {
        if (auto loaded = loader.vector(job); !loaded) {
            return std::move(loaded).error();
        }
        if (!goes_on(job.count * sizeof(float))) {
            return cancelled();
        }
    }
    for (const MatrixJob& job : jobs.matrices) {
        if (auto loaded = loader.matrix(job); !loaded) {
            return std::move(loaded).error();
        }
        if (!goes_on(job.matrix->bytes())) {
            return cancelled();
        }
    }
    if (auto finished = upload->finish(); !finished) {
        return std::move(finished).error();
    }
    return weights;
}

}  // namespace hearth::vulkan
