// The sources of a weight job's rows.
#pragma once

#include <cstddef>
#include <span>

#include <hearth/result.h>

#include "base/input_file.h"
#include "memory/read_ahead.h"
#include "memory/weight_reader.h"

namespace hearth {

// A job's tasks are numbered from 0.
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
