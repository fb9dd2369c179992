#include "base/thread_pool.h"

#include <chrono>
#include <exception>

#include "base/assert.h"

#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>
#endif

namespace hearth {
namespace {

constexpr int kTaskBits = 20;
constexpr std::uint64_t kTaskMask = (1ULL << kTaskBits) - 1;
constexpr std::uint64_t kGenerationShift = 2 * kTaskBits;

// About 40 us on a 4 GHz core: longer than the gap between two steps of a token, shorter than
// anything a person or a scheduler notices.
constexpr int kSpins = 1500;
// Another process may want this core: offer it before going to sleep. Not often: where one does,
// each time costs its whole share of about 3 ms, and a thread that sleeps is woken earlier.
constexpr int kYields = 2;

// A worker offers its core this often, when it has no task in hand. Left to itself the system takes
// the core in the middle of a task once the worker's share is used up (about 3 ms on Linux), and
// everybody waits for that task until the neighbour has had as long. With one of two cores kept
// busy a 1B Q4_0 model decodes slower by 1.25 with this and by 1.5 without (neighbour_bench).
constexpr std::chrono::microseconds kOfferAfter{1000};

using Clock = std::chrono::steady_clock;

void relax() {
#if defined(__x86_64__) || defined(_M_X64)
    _mm_pause();
#elif defined(__aarch64__) && !defined(_MSC_VER)
    __asm__ __volatile__("yield");
#endif
}

}  // namespace

ThreadPool::ThreadPool(int n_threads) {
    HEARTH_ASSERT(n_threads >= 1);
    workers_.reserve(static_cast<std::size_t>(n_threads - 1));
    for (int worker = 1; worker < n_threads; ++worker) {
        try {
            workers_.emplace_back([this, worker] { worker_loop(worker); });
        } catch (const std::exception&) {
            break;  // no more threads or no memory: fewer threads do the same work
        }
    }
}

ThreadPool::~ThreadPool() {
    stop_.store(true, std::memory_order_relaxed);
    epoch_.add(1);
    epoch_.wake_all();
    for (std::thread& worker : workers_) {
        worker.join();
    }
}

void ThreadPool::stay_alert(bool on) {
    on = on && heeds_alerts_;
    if (alert_.exchange(on, std::memory_order_relaxed) == on || !on) {
        return;
    }
    epoch_.add(1);
    epoch_.wake_all();
}

std::uint64_t ThreadPool::generation() const noexcept {
    return state_.load(std::memory_order_acquire) >> kGenerationShift;
}

bool ThreadPool::take_task(std::uint64_t generation, int worker) {
    std::uint64_t state = state_.load(std::memory_order_acquire);
    for (;;) {
        const std::uint64_t next = state & kTaskMask;
        const std::uint64_t n_tasks = (state >> kTaskBits) & kTaskMask;
        if ((state >> kGenerationShift) != generation || next >= n_tasks) {
            return false;
        }
        if (state_.compare_exchange_weak(state, state + 1, std::memory_order_acq_rel,
                                         std::memory_order_acquire)) {
            function_(context_, static_cast<int>(next), worker);
            const std::uint32_t done = done_.add(1);
            if (worker != 0 && done == n_tasks) {
                done_.wake_one();  // no system call unless the caller sleeps
            }
            return true;
        }
    }
}

void ThreadPool::run_erased(int n_tasks, Function function, void* context) {
    HEARTH_ASSERT(n_tasks >= 0 && static_cast<std::uint64_t>(n_tasks) <= kTaskMask);
    if (n_tasks == 0) {
        return;
    }
    if (workers_.empty() || n_tasks == 1) {
        for (int task = 0; task < n_tasks; ++task) {
            function(context, task, 0);
        }
        return;
    }
    function_ = function;
    context_ = context;
    done_.reset(0);
    const std::uint64_t next_generation = (generation() + 1) & ((1ULL << 24) - 1);
    state_.store(
        (next_generation << kGenerationShift) | (static_cast<std::uint64_t>(n_tasks) << kTaskBits),
        std::memory_order_release);
    epoch_.add(1);
    epoch_.wake_all();  // no system call unless somebody sleeps

    while (take_task(next_generation, 0)) {}
    const auto all = static_cast<std::uint32_t>(n_tasks);
    std::uint32_t done = done_.get();
    for (int waits = 0; done != all; ++waits) {
        if (waits < kSpins) {
            relax();
        } else if (waits < kSpins + kYields) {
            std::this_thread::yield();  // the task's owner may be waiting for this very core
        } else {
            // It has lost its core for milliseconds. Sleeping leaves this one idle, and the system
            // may move the task's owner here; a thread that yields keeps it and gives its time
            // away besides.
            done_.sleep_while(done);
        }
        done = done_.get();
    }
}

void ThreadPool::worker_loop(int worker) {
    std::uint64_t seen = 0;
    Clock::time_point offered = Clock::now();
    for (;;) {
        // First the epoch, then the stop: who has seen the destructor's epoch sees its stop too.
        // The other way round a worker could sleep on the last epoch, which nobody changes any
        // more.
        const std::uint32_t epoch = epoch_.get();
        if (stop_.load(std::memory_order_relaxed)) {
            return;
        }
        const std::uint64_t current = generation();
        if (current != seen) {
            seen = current;
            while (take_task(current, worker)) {}
            if (const auto now = Clock::now(); now - offered >= kOfferAfter) {
                std::this_thread::yield();
                offered = Clock::now();
            }
            continue;
        }
        int waits = 0;
        while (epoch_.get() == epoch && waits < kSpins + kYields) {
            if (waits++ < kSpins) {
                relax();
            } else {
                std::this_thread::yield();
            }
            if (waits == kSpins + kYields && alert_.load(std::memory_order_relaxed)) {
                waits = 0;
            }
        }
        epoch_.sleep_while(epoch);
    }
}

}  // namespace hearth
