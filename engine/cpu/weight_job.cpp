#include "cpu/weight_job.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/assert.h"
#include "base/first_error.h"
#include "cpu/convert_input_columns.h"
#include "cpu/kernels/kernels.h"
#include "cpu/neuron_rows_to_tile.h"
#include "cpu/pack_rows.h"
#include "gguf/rows.h"
#include "model/stored_rows.h"

namespace hearth {
namespace {

// Of one task: half of a small L2, so that packing finds the rows still there.
constexpr std::uint64_t kTaskBytes = 256 * 1024;

std::uint64_t whole_tiles(std::uint64_t stride) {
    return std::max<std::uint64_t>(1, kTaskBytes / (stride * kernels::kTileRows)) *
           kernels::kTileRows;
}

}  // namespace

WeightJob WeightJob::tiles(const Weight& weight, const RowChoice& rows, std::uint64_t first_col,
                           std::uint64_t n_cols, std::uint64_t at) {
    HEARTH_ASSERT(weight.stride == weight.row_size());
    WeightJob job(Form::Tiles, rows, weight.in_file(), weight.stride, whole_tiles(weight.stride));
    job.matrices_ = {{weight, false, at}};
    job.first_col_ = first_col;
    job.n_cols_ = n_cols;
    return job;
}

WeightJob WeightJob::columns(const Weight& weight, std::uint64_t at) {
    WeightJob job(Form::Columns, {weight.rows}, weight.in_file(), weight.row_size(),
                  kernels::kColumnGroup);
    job.matrices_ = {{weight, false, at}};
    return job;
}

WeightJob WeightJob::neurons(std::vector<OfNeurons> matrices, const RowChoice& rows) {
    const Weight& first = matrices.front().source;
    WeightJob job(Form::Neurons, rows, first.in_records() ? first.tensor->offset : first.in_file(),
                  first.stride, whole_tiles(first.stride));
    job.matrices_ = std::move(matrices);
    return job;
}

std::size_t WeightJob::n_tasks() const {
    return static_cast<std::size_t>((rows_.count + step_ - 1) / step_);
}

std::uint64_t WeightJob::count_of(std::size_t task) const {
    return std::min(rows_.count - task * step_, step_);
}

FilePiece WeightJob::piece(std::size_t task) const {
    FilePiece piece;
    const std::uint64_t first = task * step_;
    for (std::uint64_t i = first; i < first + count_of(task); ++i) {
        const std::uint64_t offset = offset_ + rows_.in_file(i) * stride_;
        if (piece.empty() || piece.back().offset + piece.back().bytes != offset) {
            piece.push_back({offset, 0});
        }
        piece.back().bytes += stride_;
    }
    return piece;
}

FileRange WeightJob::scattered() const {
    const auto chosen =
        rows_.order.empty() ? rows_.order : rows_.order.subspan(rows_.first, rows_.count);
    if (std::is_sorted(chosen.begin(), chosen.end())) {
        return {};
    }
    const auto [first, last] = std::minmax_element(chosen.begin(), chosen.end());
    return {offset_ + static_cast<std::uint64_t>(*first) * stride_,
            static_cast<std::uint64_t>(*last - *first + 1) * stride_};
}

Result<void> WeightJob::run(RowSource& source, ThreadPool& pool,
                            std::span<std::vector<std::byte>> staging, bool check,
                            std::byte* base) const {
    for (std::vector<std::byte>& room : staging) {  // here, where a refusal can still be an error
        room.resize(std::max<std::size_t>(room.size(), task_bytes()));
    }
    if (const FileRange range = scattered(); range.bytes > 0) {
        source.will_take(range);
    }
    FirstError failure;
    pool.run(static_cast<int>(n_tasks()), [&](int index, int worker) {
        if (failure.failed()) {
            return;
        }
        const auto task = static_cast<std::size_t>(index);
        const auto rows =
            source.take(task, piece(task),
                        staging.empty() ? std::span<std::byte>{}
                                        : std::span(staging[static_cast<std::size_t>(worker)]));
        if (!rows) {
            failure.set(rows.error());
            return;
        }
        const std::uint64_t first = task * step_;
        auto fine = check ? check_rows(rows->data(), first, count_of(task)) : Result<void>{};
        if (fine) {
            put(rows->data(), first, count_of(task), base);
        } else {
            failure.set(std::move(fine).error());
        }
        source.give_back(task);
    });
    if (failure.failed()) {
        return failure.error();
    }
    return {};
}

Result<void> WeightJob::check_rows(const std::byte* rows, std::uint64_t first,
                                   std::uint64_t count) const {
    for (const OfNeurons& matrix : matrices_) {
        if (auto fine = check_finite(matrix.source, rows + inside(matrix.source), count,
                                     matrix.source.stride,
                                     [&](std::uint64_t i) { return rows_.in_file(first + i); });
            !fine) {
            return fine;
        }
    }
    return {};
}

void WeightJob::put(const std::byte* rows, std::uint64_t first, std::uint64_t count,
                    std::byte* base) const {
    const Weight& weight = matrices_.front().source;
    switch (form_) {
        case Form::Columns:
            return to_input_columns(weight.type, rows, static_cast<int>(first),
                                    static_cast<int>(count), static_cast<int>(weight.rows),
                                    static_cast<int>(weight.cols), base + matrices_.front().at);
        case Form::Tiles: {
            const std::uint64_t skipped = row_bytes(weight.type, first_col_);
            const std::uint64_t held = row_bytes(weight.type, n_cols_);
            for (std::uint64_t i = 0; i < count; i += kernels::kTileRows) {
                pack_tile(weight.type, rows + i * stride_ + skipped, stride_,
                          static_cast<int>(std::min<std::uint64_t>(kernels::kTileRows, count - i)),
                          static_cast<int>(n_cols_),
                          base + matrices_.front().at + (first + i) * held);
            }
            return;
        }
        case Form::Neurons:
            break;
    }
    for (const OfNeurons& matrix : matrices_) {
        const DType type = matrix.source.type;
        const auto cols = static_cast<int>(matrix.source.cols);
        const std::uint64_t held =
            matrix.in_rows ? neuron_row_bytes(type, cols) : row_bytes(type, matrix.source.cols);
        const std::uint64_t step = matrix.in_rows ? 1 : kernels::kTileRows;
        for (std::uint64_t i = 0; i < count; i += step) {
            const std::byte* from = rows + inside(matrix.source) + i * stride_;
            std::byte* to = base + matrix.at + (first + i) * held;
            if (matrix.in_rows && matrix.source.in_neuron_rows) {
                std::memcpy(to, from, held);
            } else if (matrix.in_rows) {
                to_neuron_row(type, from, cols, to);
            } else if (matrix.source.in_neuron_rows) {
                neuron_rows_to_tile(type, from, stride_,
                                    static_cast<int>(std::min(step, count - i)), cols, to);
            } else {
                pack_tile(type, from, stride_, static_cast<int>(std::min(step, count - i)), cols,
                          to);
            }
        }
    }
}

Result<std::span<const std::byte>> FileRows::take(std::size_t, const FilePiece& piece,
                                                  std::span<std::byte> room) {
    std::uint64_t used = 0;
    for (const FileRange& run : piece) {
        if (auto read = reader_.read(run.offset, room.subspan(used, run.bytes)); !read) {
            return std::move(read).error();
        }
        used += run.bytes;
    }
    return std::span<const std::byte>(room.first(used));
}

Result<std::span<const std::byte>> AheadRows::take(std::size_t task, const FilePiece&,
                                                   std::span<std::byte>) {
    auto rows = ahead_.take(first_ + task);
    if (!rows) {
        ahead_.give_back(first_ + task);
    }
    return rows;
}

}  // namespace hearth
