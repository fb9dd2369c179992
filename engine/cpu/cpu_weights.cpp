#include "cpu/cpu_weights.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "base/assert.h"
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

// Calls visit(tensor) for every tensor the executor holds, each once, in the order of the arena.
template <class Visit>
void for_each_tensor(const ModelTensors& tensors, Visit&& visit) {
    visit(tensors.token_embd);
    for (const LayerTensors& layer : tensors.layers) {
        for (const TensorInfo* tensor :
             {layer.attn_norm, layer.attn_q, layer.attn_k, layer.attn_v, layer.attn_q_bias,
              layer.attn_k_bias, layer.attn_v_bias, layer.attn_output, layer.ffn_norm,
              layer.ffn_gate, layer.ffn_up, layer.ffn_down}) {
            visit(tensor);
        }
    }
    visit(tensors.output_norm);
    visit(tensors.rope_freqs);
    visit(tensors.output == tensors.token_embd ? nullptr : tensors.output);
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

}  // namespace

std::uint64_t CpuWeights::bytes_for(const ModelTensors& tensors) {
    std::uint64_t bytes = 0;
    for_each_tensor(tensors, [&](const TensorInfo* tensor) {
        bytes += tensor != nullptr ? held_bytes(*tensor) : 0;
    });
    return bytes;
}

Result<CpuWeights> CpuWeights::load(const PlanSlice& slice, ThreadPool& pool,
                                    LoadMonitor& monitor) {
    const ModelTensors& tensors = slice.tensors;
    const std::uint64_t total_bytes = bytes_for(tensors);
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
    for_each_tensor(tensors, [&](const TensorInfo* tensor) {
        if (tensor == nullptr || !status) {
            return;
        }
        std::byte* place = weights.arena_.data() + offset;
        status = is_vector(*tensor) ? read_vector(slice.file.file(), *tensor, place)
                                    : read_matrix(reader, *tensor, pool, staging, place);
        places.emplace_back(tensor, place);
        offset += held_bytes(*tensor);
        if (status &&
            !monitor.loaded(static_cast<double>(offset) / static_cast<double>(total_bytes))) {
            status = Error{ErrorCode::Cancelled, "loading was cancelled", slice.file.path(), {}};
        }
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
    const auto matrix = [&](const TensorInfo* tensor) {
        return PackedMatrix{held_type(tensor->type), static_cast<int>(tensor->rows()),
                            static_cast<int>(tensor->cols()), place_of(tensor)};
    };
    const auto vector = [&](const TensorInfo* tensor) {
        return tensor == nullptr
                   ? std::span<const float>{}
                   : std::span<const float>{reinterpret_cast<const float*>(place_of(tensor)),
                                            static_cast<std::size_t>(tensor->values())};
    };
    weights.token_embd = matrix(tensors.token_embd);
    weights.output = matrix(tensors.output);
    weights.output_norm = vector(tensors.output_norm);
    weights.rope_freqs = vector(tensors.rope_freqs);
    for (const LayerTensors& layer : tensors.layers) {
        weights.layers.push_back(
            {vector(layer.attn_norm), vector(layer.attn_q_bias), vector(layer.attn_k_bias),
             vector(layer.attn_v_bias), vector(layer.ffn_norm), matrix(layer.attn_q),
             matrix(layer.attn_k), matrix(layer.attn_v), matrix(layer.attn_output),
             matrix(layer.ffn_gate), matrix(layer.ffn_up), matrix(layer.ffn_down)});
    }
    return weights;
}

}  // namespace hearth
