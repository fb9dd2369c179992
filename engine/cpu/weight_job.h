// A matrix on its way from the rows of a file to the form in which the processor holds it; or all
// matrices that lie in the same records of a file, since reading one reads the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hearth/result.h>

#include "base/thread_pool.h"
#include "cpu/weight_reader.h"
#include "memory/read_ahead.h"
#include "model/weights.h"

namespace hearth {

// Where a job's rows come from. Its tasks are numbered from 0.
class RowSource {
public:
    virtual ~RowSource() = default;
    // The rows of the task, one after the other, valid until give_back(). room: of as many bytes,
    // for a source without memory of its own. Any thread. After an error there is nothing to give
    // back.
    virtual Result<std::span<const std::byte>> take(std::size_t task, const FilePiece& piece,
                                                    std::span<std::byte> room) = 0;
    virtual void give_back(std::size_t task) = 0;
    // Before the first task, if the tasks read here and there in a range of the file.
    virtual void will_take(const FileRange&) {}
};

class WeightJob {
public:
    // All columns of the rows, or n_cols of them from first_col on, in tiles.
    static WeightJob tiles(const Weight& weight, const RowChoice& rows, std::uint64_t first_col,
                           std::uint64_t n_cols, std::uint64_t at);
    static WeightJob columns(const Weight& weight, std::uint64_t at);
    struct OfNeurons {
        Weight source;
        bool in_rows = false;  // else in tiles
        std::uint64_t at = 0;
    };
    // matrices: one, or some of the same records.
    static WeightJob neurons(std::vector<OfNeurons> matrices, const RowChoice& rows);

    std::size_t n_tasks() const;
    // What a task reads, in the file's order where the choice has one.
    FilePiece piece(std::size_t task) const;
    std::uint64_t task_bytes() const { return step_ * stride_; }  // at most
    std::uint64_t file_bytes() const { return rows_.count * stride_; }

    // Writes the matrices to where they begin (`at`) from `base` on. staging: a buffer of
    // task_bytes() for each of the pool's threads, or nothing for a source with its own memory.
    // check: Inf and NaN are an error, BadFile. Else what the source fails with.
    Result<void> run(RowSource& source, ThreadPool& pool, std::span<std::vector<std::byte>> staging,
                     bool check, std::byte* base) const;

private:
    enum class Form : std::uint8_t { Tiles, Columns, Neurons };
    WeightJob(Form form, const RowChoice& rows, std::uint64_t offset, std::uint64_t stride,
              std::uint64_t step)
        : form_(form), rows_(rows), offset_(offset), stride_(stride), step_(step) {}

    // Where the rows lie, if they are read here and there in it; else nothing.
    FileRange scattered() const;
    std::uint64_t count_of(std::size_t task) const;
    // From the beginning of what is read of a row, or of a record, to the matrix's part of it.
    std::uint64_t inside(const Weight& source) const { return source.in_file() - offset_; }
    Result<void> check_rows(const std::byte* rows, std::uint64_t first, std::uint64_t count) const;
    void put(const std::byte* rows, std::uint64_t first, std::uint64_t count,
             std::byte* base) const;

    Form form_;
    RowChoice rows_;
    std::uint64_t offset_;  // of row 0 in the file
    std::uint64_t stride_;
    std::uint64_t step_;  // rows of a task
    std::vector<OfNeurons> matrices_;
    std::uint64_t first_col_ = 0, n_cols_ = 0;  // Tiles
};

// Reads from the file through the page cache, with read-ahead.
class FileRows final : public RowSource {
public:
    explicit FileRows(const InputFile& file) : file_(file), reader_(file) {}
    Result<std::span<const std::byte>> take(std::size_t task, const FilePiece& piece,
                                            std::span<std::byte> room) override;
    void give_back(std::size_t) override {}
    void will_take(const FileRange& range) override { file_.will_read(range.offset, range.bytes); }

private:
    const InputFile& file_;
    WeightReader reader_;
};

// Takes what was read ahead, from piece `first` on.
class AheadRows final : public RowSource {
public:
    AheadRows(ReadAhead& ahead, std::size_t first) : ahead_(ahead), first_(first) {}
    Result<std::span<const std::byte>> take(std::size_t task, const FilePiece& piece,
                                            std::span<std::byte> room) override;
    void give_back(std::size_t task) override { ahead_.give_back(first_ + task); }

private:
    ReadAhead& ahead_;
    std::size_t first_;
};

}  // namespace hearth
