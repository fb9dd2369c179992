// The window's queue before its engine: the window's own answers and those of other programs take
// turns on the engine's thread.
//
//     the window's thread, the server's thread: add -> TurnOrder, and one call of takeTurn() asked
//     for the engine's thread:                      takeTurn() -> the next job
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include <hearth/cancellation.h>

#include "server/answer_queue.h"
#include "server/turn_order.h"

namespace hearth::ui {

class EngineTurns final : public server::AnswerQueue {
public:
    static constexpr std::size_t kWaitingMost = 32;  // jobs of other programs

    // Who has the engine, and who waits for it.
    struct State {
        std::string client;  // of the other program that is answered; empty: none is
        bool windowIsAnswered = false;
        bool windowWaits = false;  // a question of the window has no turn yet
        std::size_t waiting = 0;   // jobs of other programs
    };

    // wake: a job came, and the engine's thread is to call takeTurn() once. Called by any thread;
    // must not wait.
    explicit EngineTurns(std::function<void()> wake) : wake_(std::move(wake)) {}

    bool add(const std::string& client, std::uint64_t id, Job job) override;
    bool forget(std::uint64_t id) override;
    // A question of the window: it waits for the job that is being done, and for clients that its
    // last question went before.
    void addWindow(Job job);

    // Drops the window's questions that have no turn yet. False: there are none. Any thread.
    bool forgetWindow();

    // The engine's thread. Does the next job. False: none waits any more.
    bool takeTurn();

    // For work that gives way to the next job. Its cancellation is requested when a job comes, or
    // by endRest(). Any thread.
    std::shared_ptr<Cancellation> rest();
    void endRest();

    State state() const;  // any thread
    // changed: called by the thread that changed the state; must not wait, and does not come again
    // once the next watch() has returned. Null: nobody looks.
    void watch(std::function<void(const State&)> changed);

private:
    bool put(server::TurnOrder::Turn turn);
    State now() const;
    void tell(const State& state);

    const std::function<void()> wake_;
    mutable std::mutex mutex_;
    server::TurnOrder order_{kWaitingMost};
    std::string client_;  // as State has it, as the next
    bool windowIsAnswered_ = false;
    std::shared_ptr<Cancellation> rest_;
    std::mutex watchMutex_;
    std::function<void(const State&)> changed_;
};

}  // namespace hearth::ui
