// The budget of RAM of a model that is loaded. Any thread sets it; it is carried out between
// passes.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include <hearth/result.h>

#include "compute/executor.h"
#include "hardware/memory_pressure.h"

namespace hearth {

class RamBudget {
public:
    static constexpr std::uint64_t kLookEveryMs = 2000;
    struct Pressure {
        std::function<Result<MemoryPressure>()> read;
        std::function<std::uint64_t()> now_ms;  // of a clock that does not jump
    };
    // Spares from now on also what the pressure on the machine's memory advises. It is read between
    // passes, now and then, until it turns out that it cannot be. Before attach().
    void follow(Pressure pressure) { pressure_ = std::move(pressure); }

    // The executor was loaded, and with all else that the ledger counts `held` bytes are held. A
    // budget that was set before holds for it as far as it can. Null: it goes.
    void attach(Executor* executor, std::uint64_t held);

    // Any thread. Carried out before it returns if no pass runs, else before the next one. More
    // than is held: nothing is spared. OverBudget names the least.
    Result<void> set(std::uint64_t bytes);
    // What was set last; empty: nothing was.
    std::optional<std::uint64_t> bytes() const;
    // Bytes of those held that the system has at present. Any thread.
    std::uint64_t spared() const { return spared_; }

    // Passes run while one of these lives: the executor is its thread's.
    class Passes {
    public:
        // Null: there is no budget.
        explicit Passes(RamBudget* budget);
        ~Passes();
        Passes(const Passes&) = delete;
        Passes& operator=(const Passes&) = delete;
        // Between two passes: carries out what was set meanwhile.
        void next();

    private:
        RamBudget* budget_;
    };

private:
    void look();
    void carry_out();
    void carry_out_if_idle();

    std::mutex executing_;  // held by Passes; taken before mutex_
    Executor* executor_ = nullptr;
    Pressure pressure_;  // read is empty: nobody looks
    BudgetAdvice advice_;
    std::uint64_t look_ms_ = 0;  // when to look again

    mutable std::mutex mutex_;  // of what follows
    std::optional<std::uint64_t> bytes_;
    std::uint64_t held_ = 0;
    std::uint64_t most_spared_ = 0;

    std::atomic<bool> changed_ = false;
    std::atomic<std::uint64_t> spared_ = 0;
};

}  // namespace hearth
