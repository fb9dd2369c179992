#include "turn_queue.h"

#include <algorithm>
#include <utility>

namespace hearth::server {

TurnQueue::TurnQueue(std::size_t waiting_most, Job idle)
    : waiting_most_(waiting_most), idle_(std::move(idle)), thread_([this] { run(); }) {}

TurnQueue::~TurnQueue() {
    stop();
}

bool TurnQueue::add(const std::string& client, std::uint64_t id, Job job) {
    const std::lock_guard lock(mutex_);
    if (stops_ || waiting_ >= waiting_most_) {
        return false;
    }
    auto found = std::find_if(clients_.begin(), clients_.end(),
                              [&](const Client& known) { return known.name == client; });
    if (found == clients_.end()) {
        found = clients_.insert(clients_.end(), {client, {}});
    }
    found->jobs.push_back({id, std::move(job)});
    ++waiting_;
    changed_.notify_one();
    return true;
}

bool TurnQueue::forget(std::uint64_t id) {
    const std::lock_guard lock(mutex_);
    for (auto client = clients_.begin(); client != clients_.end(); ++client) {
        const auto found = std::find_if(client->jobs.begin(), client->jobs.end(),
                                        [id](const Waiting& one) { return one.id == id; });
        if (found != client->jobs.end()) {
            client->jobs.erase(found);
            --waiting_;
            if (client->jobs.empty()) {
                clients_.erase(client);
            }
            return true;
        }
    }
    return false;
}

void TurnQueue::stop() {
    {
        const std::lock_guard lock(mutex_);
        stops_ = true;
        changed_.notify_one();
    }
    if (thread_.joinable()) {
        thread_.join();
    }
}

std::size_t TurnQueue::waiting() const {
    const std::lock_guard lock(mutex_);
    return waiting_;
}

// Precondition: a job waits. The client goes behind the others.
TurnQueue::Job TurnQueue::take() {
    Client& client = clients_.front();
    Job job = std::move(client.jobs.front().job);
    client.jobs.pop_front();
    --waiting_;
    if (client.jobs.empty()) {
        clients_.pop_front();
    } else {
        clients_.splice(clients_.end(), clients_, clients_.begin());
    }
    return job;
}

void TurnQueue::run() {
    std::unique_lock lock(mutex_);
    bool was_busy = false;
    while (true) {
        if (waiting_ > 0) {
            Job job = take();
            lock.unlock();
            job();
            job = nullptr;  // what it holds goes before the next one
            lock.lock();
            was_busy = true;
        } else if (stops_) {
            return;
        } else if (std::exchange(was_busy, false) && idle_) {
            lock.unlock();
            idle_();
            lock.lock();
        } else {
            changed_.wait(lock, [this] { return stops_ || waiting_ > 0; });
        }
    }
}

}  // namespace hearth::server
