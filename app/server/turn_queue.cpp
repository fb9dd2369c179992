#include "turn_queue.h"

#include <utility>

namespace hearth::server {

TurnQueue::TurnQueue(std::size_t waiting_most, Rest rest)
    : order_(waiting_most), rest_(std::move(rest)), thread_([this] { run(); }) {}

TurnQueue::~TurnQueue() {
    stop();
}

bool TurnQueue::add(const std::string& client, std::uint64_t id, Job job) {
    const std::lock_guard lock(mutex_);
    if (stops_ || !order_.add({client, id, std::move(job)})) {
        return false;
    }
    rest_ends_.request();
    changed_.notify_one();
    return true;
}

bool TurnQueue::forget(std::uint64_t id) {
    const std::lock_guard lock(mutex_);
    return order_.forget(id);
}

void TurnQueue::stop() {
    {
        const std::lock_guard lock(mutex_);
        stops_ = true;
        rest_ends_.request();
        changed_.notify_one();
    }
    if (thread_.joinable()) {
        thread_.join();
    }
}

std::size_t TurnQueue::waiting() const {
    const std::lock_guard lock(mutex_);
    return order_.waiting();
}

void TurnQueue::run() {
    std::unique_lock lock(mutex_);
    bool was_busy = false;
    while (true) {
        if (auto turn = order_.take()) {
            lock.unlock();
            turn->job();
            turn.reset();  // what it holds goes before the next one
            lock.lock();
            was_busy = true;
        } else if (stops_) {
            return;
        } else if (std::exchange(was_busy, false) && rest_) {
            rest_ends_.reset();  // nothing waits, as far as the lock is held
            lock.unlock();
            rest_(rest_ends_);
            lock.lock();
        } else {
            changed_.wait(lock, [this] { return stops_ || order_.waiting() > 0; });
        }
    }
}

}  // namespace hearth::server
