// Brings rows of files into a GPU's memory, in the layout that shaders read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <hearth/result.h>

#include "base/aligned_buffer.h"
#include "base/thread_pool.h"
#include "flash/read_queue.h"
#include "gguf/reader.h"
#include "memory/read_ahead.h"
#include "memory/weight_job.h"
#include "model/weights.h"
#include "vulkan/matrix.h"
#include "vulkan/upload.h"

namespace hearth::vulkan {

// Rows of a weight, or a run of their columns.
struct WeightRows {
    const GgufFile* file = nullptr;
    Weight weight;
    std::uint64_t first_col = 0;  // of the part that is wanted
};

// A matrix whose row r is row index(r) of sources[r % sources.size()]. The sources are of one file.
// A weight that is turned becomes the matrix of all its parts, one behind the other, in F32.
struct MatrixJob {
    GpuMatrix* matrix = nullptr;
    std::vector<WeightRows> sources;
    std::span<const int> order;  // row r / sources.size() of the file is order[...]; empty: itself
    std::uint64_t run = 1;       // of a source, rows that stay together: `order` is of runs
};

// Words that are no weights.
struct TableJob {
    BufferView* view = nullptr;
    std::vector<std::uint32_t> words;
};

struct VectorJob {
    BufferView* view = nullptr;
    const GgufFile* file = nullptr;
    Weight weight;
    std::span<const int> order;  // of its values; empty: the first `count` as they are
    std::uint64_t count = 0;
};

// Reads rows into the upload's buffers, a stretch at a time, with all threads.
class WeightLoader {
public:
    // They must outlive the loader.
    WeightLoader(Upload& upload, ThreadPool& pool)
        : upload_(upload), staging_(static_cast<std::size_t>(pool.n_threads())), pool_(pool) {}

    // From here on the rows of `file` are read ahead of the threads and past the page cache. jobs:
    // all that matrix() will be called with, in that order. ReadFailed: the file was changed.
    // OutOfMemory.
    Result<void> read_ahead(const GgufFile& file, std::span<const MatrixJob> jobs);

    // ReadFailed, BadFile (Inf or NaN), Unsupported (too long a row), DeviceLost.
    Result<void> vector(const VectorJob& job);
    Result<void> matrix(const MatrixJob& job);
    // Reads neurons of a matrix into the place of others: number i of the job's order to place
    // places[i] of `held`, with its row of each source. job.matrix: of as many rows as that is,
    // otherwise like `held`; it needs no memory. Precondition: order and places are equally long.
    Result<void> neurons(const MatrixJob& job, std::span<const int> places, const GpuMatrix& held);
    // DeviceLost.
    Result<void> table(const TableJob& job);

private:
    Result<void> rows(const WeightJob& job, const GgufFile& file, std::byte* buffer);

    Upload& upload_;
    std::vector<std::vector<std::byte>> staging_;  // by worker
    ThreadPool& pool_;
    std::optional<ReadQueue> queue_;
    AlignedBuffer ring_;
    const GgufFile* ahead_file_ = nullptr;
    std::optional<ReadAhead> ahead_;  // goes before what it reads with
    std::size_t next_piece_ = 0;
    const GgufFile* read_file_ = nullptr;  // of reads_
    std::unique_ptr<FileRows> reads_;
};

}  // namespace hearth::vulkan
