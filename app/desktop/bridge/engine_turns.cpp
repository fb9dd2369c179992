#include "bridge/engine_turns.h"

#include <optional>
#include <utility>

namespace hearth::ui {

bool EngineTurns::add(const std::string& client, std::uint64_t id, Job job) {
    return put({.client = client, .id = id, .job = std::move(job)});
}

void EngineTurns::addWindow(Job job) {
    put({.client = {}, .id = 0, .job = std::move(job), .is_person = true});
}

bool EngineTurns::put(server::TurnOrder::Turn turn) {
    State state;
    {
        const std::lock_guard lock(mutex_);
        if (!order_.add(std::move(turn))) {
            return false;
        }
        if (rest_) {
            rest_->request();
        }
        state = now();
    }
    tell(state);
    wake_();
    return true;
}

bool EngineTurns::forget(std::uint64_t id) {
    State state;
    {
        const std::lock_guard lock(mutex_);
        if (!order_.forget(id)) {
            return false;
        }
        state = now();
    }
    tell(state);
    return true;
}

bool EngineTurns::forgetWindow() {
    State state;
    {
        const std::lock_guard lock(mutex_);
        if (!order_.forget_person()) {
            return false;
        }
        state = now();
    }
    tell(state);
    return true;
}

bool EngineTurns::takeTurn() {
    std::optional<server::TurnOrder::Turn> turn;
    State state;
    {
        const std::lock_guard lock(mutex_);
        turn = order_.take();
        if (!turn) {
            return false;
        }
        windowIsAnswered_ = turn->is_person;
        client_ = turn->client;
        state = now();
    }
    tell(state);
    turn->job();
    turn.reset();  // what it holds goes before the next one
    {
        const std::lock_guard lock(mutex_);
        windowIsAnswered_ = false;
        client_.clear();
        state = now();
    }
    tell(state);
    return true;
}

std::shared_ptr<Cancellation> EngineTurns::rest() {
    const std::lock_guard lock(mutex_);
    if (rest_ == nullptr || rest_->requested()) {
        rest_ = std::make_shared<Cancellation>();
    }
    if (order_.waiting() > 0 || order_.person_waits()) {
        rest_->request();
    }
    return rest_;
}

void EngineTurns::endRest() {
    const std::lock_guard lock(mutex_);
    if (rest_) {
        rest_->request();
    }
}

EngineTurns::State EngineTurns::state() const {
    const std::lock_guard lock(mutex_);
    return now();
}

// The lock is held.
EngineTurns::State EngineTurns::now() const {
    return {client_, windowIsAnswered_, order_.person_waits(), order_.waiting()};
}

void EngineTurns::watch(std::function<void(const State&)> changed) {
    const std::lock_guard lock(watchMutex_);
    changed_ = std::move(changed);
}

void EngineTurns::tell(const State& state) {
    const std::lock_guard lock(watchMutex_);
    if (changed_) {
        changed_(state);
    }
}

}  // namespace hearth::ui
