// Rows of a file on their way to the forms in which a unit holds them: one matrix, or several whose
// rows are read together. Both units load by such jobs, and passes read with them what streams.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hearth/result.h>

#include "base/thread_pool.h"
#include "memory/row_choice.h"
#include "memory/row_source.h"
#include "memory/weight_form.h"
#include "model/weights.h"

namespace hearth {

// All rows of a weight, in their order. The choice lives as long as a copy of the weight does.
RowChoice rows_of(const Weight& weight);

class WeightJob {
public:
    // A run of bytes of each row of a tensor.
    struct Source {
        std::uint64_t offset = 0;  // of row 0 in the file
        std::uint64_t stride = 0;  // from one row to the next
        std::uint64_t bytes = 0;   // that are read of each
        RowChoice rows;
    };
    struct Matrix {
        Weight weight;  // all of its row is within the source's bytes
        std::size_t source = 0;
        const WeightForm* form = nullptr;  // must outlive the job
        std::uint64_t at = 0;              // where the matrix begins
        std::uint64_t first_col = 0, n_cols = 0;
    };

    // sources: as many rows of each; a task reads rows_per_task of each.
    WeightJob(std::vector<Source> sources, std::vector<Matrix> matrices,
              std::uint64_t rows_per_task);

    std::size_t n_tasks() const;
    // The runs that a task reads: of the first source, in the file's order where the choice has
    // one, then of the next one.
    FilePiece piece(std::size_t task) const;
    // The largest piece that a task may have in any order of the rows that have one.
    FilePiece scattered_piece() const;
    std::uint64_t task_bytes() const;  // at most
    std::uint64_t file_bytes() const;

    // Writes the matrices to where they begin (`at`) from `base` on. staging: a buffer for each of
    // the pool's threads, which grows to what a task needs; none: for a source with memory of its
    // own and forms that need no room. check: Inf and NaN are an error, BadFile. Else what the
    // source fails with.
    Result<void> run(RowSource& source, ThreadPool& pool, std::span<std::vector<std::byte>> staging,
                     bool check, std::byte* base) const;

private:
    std::uint64_t n_rows() const { return sources_.front().rows.count; }
    std::uint64_t count_of(std::size_t task) const;
    std::uint64_t room_bytes() const;
    void announce(RowSource& source) const;
    // From the beginning of what is read of a row to the matrix's part of it.
    std::uint64_t inside(const Matrix& matrix) const {
        return matrix.weight.in_file() - sources_[matrix.source].offset;
    }
    // A task's rows of the matrix. rows: all that the task has read.
    FormRows rows_of(const Matrix& matrix, const std::byte* rows, std::size_t task,
                     std::span<std::byte> room) const;
    Result<void> check_rows(const Matrix& matrix, const FormRows& rows) const;

    std::vector<Source> sources_;
    std::vector<Matrix> matrices_;
    std::uint64_t step_;  // rows of a task, of each source
};

}  // namespace hearth
