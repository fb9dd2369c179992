#include "vulkan/weight_loader.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/first_error.h"
#include "gguf/finite.h"
#include "gguf/rows.h"
#include "model/stored_rows.h"

namespace hearth::vulkan {
namespace {

constexpr std::uint64_t kRowsPerTask = 32;

// As few bytes as keep the disk at work while rows are taken apart.
constexpr std::uint64_t kRingBytes = std::uint64_t{8} << 20;

std::uint64_t row_of(const MatrixJob& job, std::uint64_t index) {
    return job.order.empty()
               ? index
               : static_cast<std::uint64_t>(job.order[static_cast<std::size_t>(index)]);
}

// Of a matrix's rows from `first` on, the first one that is the source's.
std::uint64_t first_of(std::uint64_t first, std::uint64_t source, std::uint64_t n_sources) {
    return first + (source + n_sources - first % n_sources) % n_sources;
}

// What rows [first, end) of the matrix are in the file: those of the first source, then those of
// the next one.
FilePiece piece_of(const MatrixJob& job, std::uint64_t first, std::uint64_t end) {
    FilePiece piece;
    const std::uint64_t n_sources = job.sources.size();
    for (std::uint64_t s = 0; s < n_sources; ++s) {
        const Weight& source = job.sources[s].weight;
        const std::uint64_t size = stored_row_bytes(source);
        for (std::uint64_t i = first_of(first, s, n_sources); i < end; i += n_sources) {
            const std::uint64_t offset =
                source.in_file() + row_of(job, i / n_sources) * source.stride;
            if (piece.empty() || piece.back().offset + piece.back().bytes != offset) {
                piece.push_back({offset, 0});
            }
            piece.back().bytes += size;
        }
    }
    return piece;
}

std::uint64_t bytes_of_row(const MatrixLayout& layout) {
    return layout.quads.row_bytes + layout.high.row_bytes + layout.scales.row_bytes +
           layout.supers.row_bytes;
}

// Rows that one of the upload's buffers holds.
std::uint64_t most_rows(const MatrixLayout& layout) {
    return (Upload::kBufferBytes - 64) / bytes_of_row(layout);
}

std::uint64_t n_tasks(std::uint64_t rows) {
    return (rows + kRowsPerTask - 1) / kRowsPerTask;
}

// A task's piece each, in the order in which matrix() comes to them.
void add_pieces(const MatrixJob& job, std::vector<FilePiece>& pieces) {
    for (const GpuMatrix::Slice& slice : job.matrix->slices) {
        const std::uint64_t rows = slice.layout.rows;
        const std::uint64_t most = std::max<std::uint64_t>(most_rows(slice.layout), 1);
        for (std::uint64_t first = 0; first < rows; first += most) {
            const std::uint64_t end = std::min(first + most, rows);
            for (std::uint64_t from = first; from < end; from += kRowsPerTask) {
                pieces.push_back(piece_of(job, slice.first_row + from,
                                          slice.first_row + std::min(from + kRowsPerTask, end)));
            }
        }
    }
}

}  // namespace

Result<void> WeightLoader::read_ahead(const GgufFile& file, std::span<const MatrixJob> jobs) {
    std::vector<FilePiece> pieces;
    for (const MatrixJob& job : jobs) {
        if (job.sources.front().file == &file) {
            add_pieces(job, pieces);
        }
    }
    if (pieces.empty()) {
        return {};
    }
    auto queue = ReadQueue::open(file.file());
    if (!queue) {
        return std::move(queue).error();
    }
    if (queue->size_bytes() != file.file().size_bytes()) {
        return Error{ErrorCode::ReadFailed,
                     "the file was changed while it was being loaded: it has " +
                         std::to_string(queue->size_bytes()) + " bytes now and had " +
                         std::to_string(file.file().size_bytes()),
                     file.path(),
                     {}};
    }
    constexpr std::uint64_t kAlignment = ReadAhead::kRingAlignment;
    std::uint64_t least = 0;
    for (const FilePiece& piece : pieces) {
        least = std::max(least, ReadAhead::least_ring_bytes(piece));
    }
    const std::uint64_t bytes =
        std::max(least, std::min(kRingBytes, ReadAhead::ring_bytes(pieces)));
    auto ring = AlignedBuffer::create(bytes + kAlignment, "rows on their way to a GPU");
    if (!ring) {
        return std::move(ring).error();
    }
    queue_ = std::move(*queue);
    ring_ = std::move(*ring);
    const std::uint64_t unaligned = reinterpret_cast<std::uintptr_t>(ring_.data()) % kAlignment;
    ahead_file_ = &file;
    ahead_.emplace(*queue_, std::move(pieces),
                   std::span(ring_.data() + (unaligned == 0 ? 0 : kAlignment - unaligned), bytes));
    ahead_->seek(0);
    return {};
}

Result<void> WeightLoader::vector(const VectorJob& job) {
    const Weight& weight = job.weight;
    std::vector<std::byte> raw(weight.bytes());
    if (auto read = job.file->file().read_at(weight.in_file(), raw); !read) {
        return read;
    }
    std::vector<float> values(static_cast<std::size_t>(weight.values()));
    dequantize_row(weight.type, raw.data(), values);
    if (!all_finite(values)) {
        return not_finite(weight.tensor->name, "value", values);
    }
    auto buffer = upload_.next();
    if (!buffer) {
        return std::move(buffer).error();
    }
    if (job.count * sizeof(float) > Upload::kBufferBytes) {
        return Error{ErrorCode::Unsupported, weight.tensor->name + ": too long for a GPU"};
    }
    auto* out = reinterpret_cast<float*>(buffer->data());
    for (std::uint64_t i = 0; i < job.count; ++i) {
        out[i] = values[job.order.empty() ? i : static_cast<std::size_t>(job.order[i])];
    }
    const Upload::Copy copy{0, *job.view};
    return upload_.start({&copy, 1});
}

Result<void> WeightLoader::matrix(const MatrixJob& job) {
    if (!is_read_ahead(job) && !std::is_sorted(job.order.begin(), job.order.end())) {
        // Rows are read here and there: the disk gets all of them to read in its own order first.
        const auto [first, last] = std::minmax_element(job.order.begin(), job.order.end());
        for (const auto& source : job.sources) {
            const Weight& weight = source.weight;
            job.sources.front().file->file().will_read(
                weight.in_file() + static_cast<std::uint64_t>(*first) * weight.stride,
                static_cast<std::uint64_t>(*last - *first + 1) * weight.stride);
        }
    }
    for (const GpuMatrix::Slice& slice : job.matrix->slices) {
        if (auto loaded = this->slice(job, slice); !loaded) {
            return loaded;
        }
    }
    return {};
}

Result<void> WeightLoader::slice(const MatrixJob& job, const GpuMatrix::Slice& slice) {
    const MatrixLayout& layout = slice.layout;
    const std::array runs{&layout.quads, &layout.high, &layout.scales, &layout.supers};
    const std::uint64_t most = most_rows(layout);
    if (most == 0) {
        return Error{ErrorCode::Unsupported,
                     job.sources.front().weight.tensor->name + ": its rows are too long for a GPU"};
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
        if (auto read = stretch(job, layout, {slice.first_row + first, count, next_piece_, first},
                                buffer->data(), at);
            !read) {
            return read;
        }
        next_piece_ += is_read_ahead(job) ? n_tasks(count) : 0;
        if (auto started = upload_.start(copies); !started) {
            return started;
        }
    }
    return {};
}

Result<void> WeightLoader::stretch(const MatrixJob& job, const MatrixLayout& layout,
                                   const Stretch& stretch, std::byte* buffer,
                                   const std::array<std::uint64_t, 4>& at) {
    // What a thread needs is made here, where a refusal can still be an error.
    for (std::vector<std::byte>& rows : rows_) {
        std::size_t most = 0;
        std::size_t room = 0;
        for (const WeightRows& source : job.sources) {
            most = std::max<std::size_t>(most, kRowsPerTask * stored_row_bytes(source.weight));
            room = std::max<std::size_t>(room, source.weight.row_size());
        }
        rows.resize(std::max(rows.size(), most + room));
    }
    FirstError failure;
    pool_.run(static_cast<int>(n_tasks(stretch.count)), [&](int task, int worker) {
        if (failure.failed()) {
            return;
        }
        if (auto read = rows(job, layout, stretch, task, rows_[static_cast<std::size_t>(worker)],
                             buffer, at);
            !read) {
            failure.set(std::move(read).error());
        }
    });
    return failure.failed() ? Result<void>(failure.error()) : Result<void>{};
}

// The rows of a task, as piece_of() has them, until the piece is given back.
Result<std::span<const std::byte>> WeightLoader::read(const MatrixJob& job, const Stretch& stretch,
                                                      int task, std::span<std::byte> staging) {
    const auto number = static_cast<std::uint64_t>(task);
    if (is_read_ahead(job)) {
        const std::size_t piece = stretch.first_piece + number;
        auto rows = ahead_->take(piece);
        if (!rows) {
            ahead_->give_back(piece);
        }
        return rows;
    }
    const std::uint64_t first = number * kRowsPerTask;
    const std::uint64_t end = std::min(first + kRowsPerTask, stretch.count);
    std::size_t used = 0;
    for (const FileRange& run : piece_of(job, stretch.first + first, stretch.first + end)) {
        const auto bytes = static_cast<std::size_t>(run.bytes);
        if (auto done =
                job.sources.front().file->file().read_at(run.offset, staging.subspan(used, bytes));
            !done) {
            return std::move(done).error();
        }
        used += bytes;
    }
    return std::span<const std::byte>(staging.first(used));
}

Result<void> WeightLoader::rows(const MatrixJob& job, const MatrixLayout& layout,
                                const Stretch& stretch, int task, std::span<std::byte> staging,
                                std::byte* buffer, const std::array<std::uint64_t, 4>& at) {
    const auto raw = read(job, stretch, task, staging);
    if (!raw) {
        return raw.error();
    }
    const std::uint64_t from = static_cast<std::uint64_t>(task) * kRowsPerTask;
    const std::uint64_t to = std::min(from + kRowsPerTask, stretch.count);
    const std::uint64_t n_sources = job.sources.size();
    const RunPlaces runs{buffer + at[0], buffer + at[1], buffer + at[2], buffer + at[3],
                         stretch.first_in_slice};
    const std::byte* next = raw->data();
    Result<void> fine;
    for (std::uint64_t s = 0; s < n_sources && fine; ++s) {
        const Weight& source = job.sources[s].weight;
        const std::uint64_t size = stored_row_bytes(source);
        std::byte* const room = staging.data() + staging.size() - source.row_size();
        const std::uint64_t first = first_of(stretch.first + from, s, n_sources);
        const std::uint64_t end = stretch.first + to;
        const std::uint64_t n = first < end ? (end - first + n_sources - 1) / n_sources : 0;
        fine = check_finite(source, next, n, size,
                            [&](std::uint64_t k) { return row_of(job, first / n_sources + k); });
        for (std::uint64_t k = 0; k < n && fine; ++k) {
            put_in_runs(layout, file_row(source, next + k * size, room), job.sources[s].first_col,
                        places_of_row(layout, runs, first - stretch.first + k * n_sources));
        }
        next += n * size;
    }
    if (is_read_ahead(job)) {
        ahead_->give_back(stretch.first_piece + static_cast<std::size_t>(task));
    }
    return fine;
}

}  // namespace hearth::vulkan
