// A flag that one thread raises and another checks between two units of work.
#pragma once

#include <atomic>

namespace hearth {

// Any thread may call any member. Signal-safe: request() is one lock-free store.
class Cancellation {
public:
    void request() noexcept { requested_.store(true, std::memory_order_relaxed); }
    void reset() noexcept { requested_.store(false, std::memory_order_relaxed); }
    bool requested() const noexcept { return requested_.load(std::memory_order_relaxed); }

private:
    std::atomic<bool> requested_{false};
    static_assert(std::atomic<bool>::is_always_lock_free);
};

}  // namespace hearth
