// One file as a ReadQueue reads it. DirectFile is the file on disk; tests put readers in its place
// that are late, short or failing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace hearth {

struct ReadOutcome {
    std::uint64_t bytes = 0;  // fewer than wanted: the file ends, or the system gave no more
    int error = 0;            // the system's number, 0 for none; then bytes is 0
};

// What holds from opening to closing.
struct FileFacts {
    std::string path;
    std::uint64_t size_bytes = 0;
    std::uint64_t alignment = 1;         // of a read's offset and length; a power of two
    std::uint64_t memory_alignment = 1;  // of where it goes; a power of two
    bool direct = false;                 // past the page cache
    std::string why_not_direct;          // one sentence; empty: direct
};

class FileReads {
public:
    virtual ~FileReads() = default;
    virtual const FileFacts& facts() const noexcept = 0;

    // Reads up to to.size() bytes at `offset`; both, and where they go, as facts() wants them. The
    // last read may reach past the file's end by less than one alignment. Blocks; several threads
    // at once.
    virtual ReadOutcome read(std::uint64_t offset, std::span<std::byte> to) noexcept = 0;

    // What was done to the content since it was opened, "it has 5 bytes now and had 9 when it was
    // opened"; empty: nothing that the system tells. Costs one system call. Any thread.
    virtual std::string change() const = 0;
    // Likewise to its name: another file may have taken it. What is read stays the old one.
    virtual std::string change_of_name() const = 0;
};

}  // namespace hearth
