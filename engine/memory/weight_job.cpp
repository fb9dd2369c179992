#include "memory/weight_job.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "base/first_error.h"
#include "model/stored_rows.h"

namespace hearth {

RowChoice rows_of(const Weight& weight) {
    return {weight.rows, 0,
            weight.runs ? std::span<const int>(*weight.runs) : std::span<const int>{}, weight.run};
}

WeightJob::WeightJob(std::vector<Source> sources, std::vector<Matrix> matrices,
                     std::uint64_t rows_per_task)
    : sources_(std::move(sources)), matrices_(std::move(matrices)), step_(rows_per_task) {
    for (const Source& source : sources_) {
        HEARTH_ASSERT(source.rows.count == n_rows());
    }
}

std::size_t WeightJob::n_tasks() const {
    return static_cast<std::size_t>((n_rows() + step_ - 1) / step_);
}

std::uint64_t WeightJob::count_of(std::size_t task) const {
    return std::min(n_rows() - task * step_, step_);
}

FilePiece WeightJob::piece(std::size_t task) const {
    FilePiece piece;
    const std::uint64_t first = task * step_;
    for (const Source& source : sources_) {
        for (std::uint64_t i = first; i < first + count_of(task); ++i) {
            const std::uint64_t offset = source.offset + source.rows.in_file(i) * source.stride;
            if (piece.empty() || piece.back().offset + piece.back().bytes != offset) {
                piece.push_back({offset, 0});
            }
            piece.back().bytes += source.bytes;
        }
    }
    return piece;
}

FilePiece WeightJob::scattered_piece() const {
    FilePiece piece;
    for (const Source& source : sources_) {
        if (source.rows.order.empty()) {
            piece.push_back({source.offset, step_ * source.bytes});
            continue;
        }
        const std::uint64_t run = source.rows.run;
        for (std::uint64_t i = 0; i < step_; i += run) {
            piece.push_back({source.offset, std::min(run, step_) * source.bytes});
        }
    }
    return piece;
}

std::uint64_t WeightJob::task_bytes() const {
    std::uint64_t bytes = 0;
    for (const Source& source : sources_) {
        bytes += step_ * source.bytes;
    }
    return bytes;
}

std::uint64_t WeightJob::file_bytes() const {
    std::uint64_t bytes = 0;
    for (const Source& source : sources_) {
        bytes += n_rows() * source.bytes;
    }
    return bytes;
}

std::uint64_t WeightJob::room_bytes() const {
    std::uint64_t most = 0;
    for (const Matrix& matrix : matrices_) {
        most = std::max(most, matrix.form->room_bytes(matrix.weight));
    }
    return most;
}

// Says where rows lie that are read here and there.
void WeightJob::announce(RowSource& from) const {
    for (const Source& source : sources_) {
        const RowChoice& rows = source.rows;
        const std::span<const int> chosen = rows.chosen_runs();
        if (!std::is_sorted(chosen.begin(), chosen.end())) {
            const auto [first, last] = std::minmax_element(chosen.begin(), chosen.end());
            const std::uint64_t run_bytes = rows.step() * source.stride;
            from.will_take({source.offset + static_cast<std::uint64_t>(*first) * run_bytes,
                            static_cast<std::uint64_t>(*last - *first + 1) * run_bytes});
        }
    }
}

Result<void> WeightJob::run(RowSource& source, ThreadPool& pool,
                            std::span<std::vector<std::byte>> staging, bool check,
                            std::byte* base) const {
    const auto read_bytes = static_cast<std::size_t>(task_bytes());
    for (std::vector<std::byte>& room : staging) {  // here, where a refusal can still be an error
        room.resize(std::max<std::size_t>(room.size(), read_bytes + room_bytes()));
    }
    HEARTH_ASSERT(!staging.empty() || room_bytes() == 0);
    announce(source);
    FirstError failure;
    pool.run(static_cast<int>(n_tasks()), [&](int index, int worker) {
        if (failure.failed()) {
            return;
        }
        const auto task = static_cast<std::size_t>(index);
        const std::span<std::byte> room =
            staging.empty() ? std::span<std::byte>{}
                            : std::span(staging[static_cast<std::size_t>(worker)]);
        const auto read =
            source.take(task, piece(task), room.first(std::min(room.size(), read_bytes)));
        if (!read) {
            failure.set(read.error());
            return;
        }
        Result<void> fine;
        for (const Matrix& matrix : matrices_) {
            if (fine && check) {
                fine = check_rows(matrix, rows_of(matrix, read->data(), task, {}));
            }
        }
        if (fine) {
            const std::span<std::byte> beside = room.empty() ? room : room.subspan(read_bytes);
            for (const Matrix& matrix : matrices_) {
                matrix.form->put(rows_of(matrix, read->data(), task, beside), base + matrix.at);
            }
        } else {
            failure.set(std::move(fine).error());
        }
        source.give_back(task);
    });
    return failure.failed() ? Result<void>(failure.error()) : Result<void>{};
}

FormRows WeightJob::rows_of(const Matrix& matrix, const std::byte* rows, std::size_t task,
                            std::span<std::byte> room) const {
    for (std::size_t s = 0; s < matrix.source; ++s) {
        rows += count_of(task) * sources_[s].bytes;
    }
    return {.weight = matrix.weight,
            .rows = rows + inside(matrix),
            .stride = sources_[matrix.source].bytes,
            .first = task * step_,
            .count = count_of(task),
            .first_col = matrix.first_col,
            .n_cols = matrix.n_cols,
            .room = room};
}

Result<void> WeightJob::check_rows(const Matrix& matrix, const FormRows& rows) const {
    const Weight& weight = matrix.weight;
    const std::uint64_t before = weight.in_records() ? 0 : weight.first_row();
    return check_finite(weight, rows.rows, rows.count, rows.stride, [&](std::uint64_t i) {
        return before + sources_[matrix.source].rows.in_file(rows.first + i);
    });
}

}  // namespace hearth
