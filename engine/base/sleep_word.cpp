#include "base/sleep_word.h"

#if defined(_WIN32)
#include <windows.h>
#elif defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#endif

namespace hearth {
namespace {

using Word = std::atomic<std::uint32_t>;
static_assert(sizeof(Word) == sizeof(std::uint32_t) && Word::is_always_lock_free,
              "the system compares the number itself");

// sleep_once() may return early for any reason: its caller looks again.
#if defined(_WIN32)

void sleep_once(Word& word, std::uint32_t old) noexcept {
    WaitOnAddress(&word, &old, sizeof old, INFINITE);
}
void wake(Word& word, bool all) noexcept {
    if (all) {
        WakeByAddressAll(&word);
    } else {
        WakeByAddressSingle(&word);
    }
}

#elif defined(__linux__)

void sleep_once(Word& word, std::uint32_t old) noexcept {
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, old, nullptr);
}
void wake(Word& word, bool all) noexcept {
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, all ? INT_MAX : 1);
}

#else

// libc++ of macOS sleeps by the system's own means (__ulock_wait). Apple's public call
// (os_sync_wait_on_address) needs macOS 14.4.
void sleep_once(Word& word, std::uint32_t old) noexcept {
    word.wait(old, std::memory_order_seq_cst);
}
void wake(Word& word, bool all) noexcept {
    if (all) {
        word.notify_all();
    } else {
        word.notify_one();
    }
}

#endif

}  // namespace

void SleepWord::sleep_while(std::uint32_t old) noexcept {
    if (get() != old) {
        return;
    }
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    while (value_.load(std::memory_order_seq_cst) == old) {
        sleep_once(value_, old);
    }
    sleepers_.fetch_sub(1, std::memory_order_relaxed);
}

void SleepWord::wake_one() noexcept {
    if (sleepers_.load(std::memory_order_seq_cst) != 0) {
        wake(value_, false);
    }
}

void SleepWord::wake_all() noexcept {
    if (sleepers_.load(std::memory_order_seq_cst) != 0) {
        wake(value_, true);
    }
}

}  // namespace hearth
