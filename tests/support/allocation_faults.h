// Memory that runs out where a test wants it to: allocation_faults.cpp replaces this program's
// operator new. Link it into a test of its own.
#pragma once

#include <cstdint>

namespace hearth::test {

enum class Refuse {
    Once,      // one allocation, as when another program just took the memory
    FromThere  // that one and all after it
};

// While it lives, the `number`-th allocation from now on (1 is the next), by any thread, is
// refused. One at a time.
class AllocationFault {
public:
    AllocationFault(std::int64_t number, Refuse refuse) noexcept;
    ~AllocationFault();
    AllocationFault(const AllocationFault&) = delete;
    AllocationFault& operator=(const AllocationFault&) = delete;

    bool happened() const noexcept;  // so many allocations were made
};

// Allocations made by operator new that are not freed yet.
std::int64_t live_allocations() noexcept;

}  // namespace hearth::test
