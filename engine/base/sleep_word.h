// A number that threads sleep on until it changes, by the system's own means.
//
// Not std::atomic::wait: that of MinGW's C++ runtime loses wake-ups, and a thread sleeps for good.
// (Under Wine 8 every second run of a pool of two threads hung.)
#pragma once

#include <atomic>
#include <cstdint>

namespace hearth {

// Any thread may call anything at any time. The word must outlive the last call of wake_*().
// Waking costs no system call while nobody sleeps.
class SleepWord {
public:
    explicit SleepWord(std::uint32_t value = 0) noexcept : value_(value) {}
    SleepWord(const SleepWord&) = delete;
    SleepWord& operator=(const SleepWord&) = delete;

    // What was written before set() or add() is visible to who sees the new value.
    std::uint32_t get() const noexcept { return value_.load(std::memory_order_acquire); }
    void set(std::uint32_t value) noexcept { value_.store(value, std::memory_order_seq_cst); }
    // Returns the new value; wraps.
    std::uint32_t add(std::uint32_t n) noexcept {
        return value_.fetch_add(n, std::memory_order_seq_cst) + n;
    }
    // For a value that nobody sleeps on yet: publishes nothing.
    void reset(std::uint32_t value) noexcept { value_.store(value, std::memory_order_relaxed); }

    // Returns once the value is not `old`, at once if it is not. A change back to `old` before the
    // sleeper looked goes unseen.
    void sleep_while(std::uint32_t old) noexcept;

    // After set() or add(): one of the threads that sleep looks again, or all of them.
    void wake_one() noexcept;
    void wake_all() noexcept;

private:
    // Who goes to sleep counts itself, then looks at the value; who wakes changes the value, then
    // looks at the count. All four are sequentially consistent, so one of the two sees the other.
    // Should a waker come between the sleeper's look and its sleep, the system compares the value
    // once more and does not let it sleep.
    std::atomic<std::uint32_t> value_;
    std::atomic<std::uint32_t> sleepers_{0};
};

}  // namespace hearth
