// A disk whose reads fail where a test wants it to: read_faults.cpp replaces this program's pread.
// Link it into a test of its own. Linux.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace hearth::test {

// While it lives, a read fails as one of a broken disk if fails(offset) says so, and leaves noise
// where it should have put bytes. fails is called by any thread, by one at a time. One at a time.
class ReadFaults {
public:
    explicit ReadFaults(std::function<bool(std::uint64_t offset)> fails);
    ~ReadFaults();
    ReadFaults(const ReadFaults&) = delete;
    ReadFaults& operator=(const ReadFaults&) = delete;

    std::size_t count() const;  // of reads that failed
};

}  // namespace hearth::test
