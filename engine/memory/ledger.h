// The one account of large memory: every arena, by purpose, to the byte.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <hearth/result.h>

#include "base/aligned_buffer.h"
#include "plan/plan.h"

namespace hearth {

enum class Purpose { Weights, Kv, Scratch };

// Hands out buffers and counts them; refuses what the plan did not foresee, so that the plan is the
// truth. Not thread-safe: used while loading. Buffers may outlive the ledger.
class Ledger {
public:
    explicit Ledger(const MemoryBytes& planned) : planned_(planned) {}

    // OutOfMemory: the system refused. Internal: more than was planned for this purpose.
    Result<AlignedBuffer> allocate(Purpose purpose, std::uint64_t bytes, std::string_view what);

    // Counts what somebody else hands out: memory a driver gives both sides. Internal as above.
    Result<void> count(Purpose purpose, std::uint64_t bytes, std::string_view what);

    const MemoryBytes& planned() const { return planned_; }
    const MemoryBytes& actual() const { return actual_; }

private:
    MemoryBytes planned_;
    MemoryBytes actual_;
};

}  // namespace hearth
