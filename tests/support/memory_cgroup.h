// A group of processes that may hold only so much memory, as Linux counts it: page cache and what
// the kernel holds for them included. Versions 1 and 2, whichever the system has. Qt-free.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace hearth::test {

class MemoryCgroup {
public:
    // Null: this is not Linux, not root, or there is no group in which one may be made.
    static std::unique_ptr<MemoryCgroup> create(std::uint64_t limit_bytes);
    // Of no process any more.
    ~MemoryCgroup();
    MemoryCgroup(const MemoryCgroup&) = delete;
    MemoryCgroup& operator=(const MemoryCgroup&) = delete;

    int version() const { return v2_ ? 2 : 1; }
    // Makes the calling process one of the group. Allocates nothing: for a process between fork
    // and exec. False: refused.
    bool enter() const noexcept;

    std::uint64_t peak_bytes() const;
    std::uint64_t anonymous_bytes() const;
    std::uint64_t file_bytes() const;  // page cache
    std::uint64_t swapped_bytes() const;

private:
    MemoryCgroup(std::string folder, bool v2);
    std::string folder_;
    std::string members_;  // the file that takes them
    bool v2_;
};

}  // namespace hearth::test
