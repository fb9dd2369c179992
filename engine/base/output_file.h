// A file that is there whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <hearth/result.h>

#include "base/output_target.h"

namespace hearth {

// Move-only. Bytes go to a new file beside `path`, its name unique to this process; commit()
// flushes it to the disk and renames it to `path`. Destroyed before that, it is removed, and what
// stood at `path` still stands. One thread at a time.
class OutputFile {
public:
    OutputFile() = default;
    ~OutputFile();
    OutputFile(OutputFile&& other) noexcept;
    OutputFile& operator=(OutputFile&& other) noexcept;

    // expected_bytes: DiskFull if the disk has less room than that now; 0 asks for no such check.
    // NotFound (no such folder), NotAFile (path is a folder or a device), PermissionDenied,
    // WriteFailed.
    static Result<OutputFile> create(const std::string& path, std::uint64_t expected_bytes);

    Result<void> write(std::span<const std::byte> data);  // appends; WriteFailed, DiskFull
    Result<void> commit();                                // at most once

    std::uint64_t written_bytes() const { return written_bytes_; }
    const std::string& partial_path() const { return partial_path_; }

private:
    void discard() noexcept;

    std::string path_;
    std::string partial_path_;  // empty once committed or discarded
    std::uint64_t written_bytes_ = 0;
    FileHandle file_ = kNoFile;
};

}  // namespace hearth
