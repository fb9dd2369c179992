// A few threads that stay warm between the hundreds of short parallel steps of one token.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <vector>

#include "base/sleep_word.h"

namespace hearth {

// run() from one thread at a time (the engine's). The caller takes part, so n threads means n - 1
// started. Between steps workers spin for some microseconds, then yield, then sleep: a step that
// follows at once costs no system call, an idle engine costs no CPU.
class ThreadPool {
public:
    // At least 1; n_threads() says how many the system really gave.
    explicit ThreadPool(int n_threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    int n_threads() const noexcept { return static_cast<int>(workers_.size()) + 1; }

    // Calls body(task, worker) for every task in [0, n_tasks), each once; 0 <= worker <
    // n_threads(). Which worker gets which task is left to chance: results must not depend on it.
    // Returns when all are done, and then everything they wrote is visible. Must not be called from
    // within a body; body must not throw.
    template <class Body>
    void run(int n_tasks, Body&& body) {
        using Plain = std::remove_reference_t<Body>;
        run_erased(
            n_tasks,
            [](void* context, int task, int worker) {
                (*static_cast<Plain*>(context))(task, worker);
            },
            const_cast<void*>(static_cast<const void*>(&body)));
    }

    // While on, workers wait without sleeping: for steps that come a few hundred microseconds
    // apart, as those of a token that a GPU computes most of, where waking up would take as long as
    // the step. Same thread as run().
    void stay_alert(bool on);

    // stay_alert() is heeded until this says otherwise: a GPU's driver that computes on this
    // processor needs the cores on which workers would wait. Same thread as run().
    void heed_alerts(bool heed) noexcept { heeds_alerts_ = heed; }

private:
    using Function = void (*)(void* context, int task, int worker);

    void run_erased(int n_tasks, Function function, void* context);
    void worker_loop(int worker);
    bool take_task(std::uint64_t generation, int worker);
    std::uint64_t generation() const noexcept;

    // One step. Written before `state_` publishes it, read only by who took one of its tasks.
    Function function_ = nullptr;
    void* context_ = nullptr;

    // The step in one word: generation, number of tasks, next task to take. A worker that wakes
    // late sees the generation change and cannot take part in a step that is over, so run() waits
    // for tasks, never for threads: a worker without a core delays nothing.
    alignas(64) std::atomic<std::uint64_t> state_{0};
    alignas(64) SleepWord done_;   // finished tasks of this step
    alignas(64) SleepWord epoch_;  // what sleeping workers wait on
    std::atomic<bool> alert_{false};
    bool heeds_alerts_ = true;  // only the thread that calls run()
    std::atomic<bool> stop_{false};
    std::vector<std::thread> workers_;
};

}  // namespace hearth
