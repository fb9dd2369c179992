// A file that is there whole or not at all, and whose writing may be interrupted at any moment and
// continued later, after a crash of the program or of the system too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <hearth/result.h>

#include "base/output_target.h"

namespace hearth {

// Move-only. Bytes go to PATH.partial. checkpoint() brings them to the disk and then says so in
// PATH.partial.journal (which passes through PATH.partial.journal.new): what stands before the
// journal's mark is known to be good. Destroyed before commit(), both files stay for the next
// attempt. One process at a time may hold one of a path; one thread at a time.
class ResumableFile {
public:
    ResumableFile() = default;
    ~ResumableFile();
    ResumableFile(ResumableFile&& other) noexcept;
    ResumableFile& operator=(ResumableFile&& other) noexcept;

    // Continues an earlier attempt if its journal has the same label (one line: what the bytes are
    // made of), else begins afresh. expected_bytes: DiskFull, and nothing is touched, if the disk
    // has no room for what is still missing. NotFound (no such folder), NotAFile, PermissionDenied,
    // WriteFailed (also: another process is at it).
    static Result<ResumableFile> open(const std::string& path, const std::string& label,
                                      std::uint64_t expected_bytes);

    // How many bytes open() would keep of an earlier attempt. Touches nothing.
    static std::uint64_t kept_bytes(const std::string& path, const std::string& label);
    // Removes what an earlier attempt left. WriteFailed: another process is at it, or the system
    // does not let it go.
    static Result<void> discard_partial(const std::string& path);

    std::uint64_t written_bytes() const { return written_bytes_; }  // after open(): kept ones
    // Where reading back finds what was written.
    const std::string& partial_path() const { return partial_path_; }

    // Forgets what stands behind the first `bytes`. Precondition: bytes <= written_bytes().
    Result<void> cut(std::uint64_t bytes);
    Result<void> write(std::span<const std::byte> data);  // appends; WriteFailed, DiskFull
    // All that is written survives from here on. Costs a flush of the disk.
    Result<void> checkpoint();
    // Brings the bytes to the disk and asks the system to forget its own copy of them, so that
    // reading back reads the disk. The second is a hint. Nothing is written after it.
    Result<void> settle();
    // Brings the bytes to the disk, renames to PATH, removes the journal. At most once.
    Result<void> commit();
    // Removes both files: what was written turned out to be wrong.
    void discard() noexcept;

private:
    std::string path_;
    std::string partial_path_;
    std::string journal_path_;
    std::string label_;
    std::uint64_t written_bytes_ = 0;
    FileHandle file_ = kNoFile;
};

}  // namespace hearth
