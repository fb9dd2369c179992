// The one queue before the one engine, with a thread of its own.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include <hearth/cancellation.h>

#include "answer_queue.h"
#include "turn_order.h"

namespace hearth::server {

// Any thread may call any member, but for stop().
class TurnQueue final : public AnswerQueue {
public:
    // Returns soon after its cancellation, which is requested when there is something to do again.
    using Rest = std::function<void(const Cancellation& cancellation)>;

    // rest: done on the queue's thread when no job waits after one was done. waiting_most: jobs
    // that may wait.
    TurnQueue(std::size_t waiting_most, Rest rest);
    ~TurnQueue() override;  // as stop()
    TurnQueue(const TurnQueue&) = delete;
    TurnQueue& operator=(const TurnQueue&) = delete;

    bool add(const std::string& client, std::uint64_t id, Job job) override;
    bool forget(std::uint64_t id) override;
    // Jobs that wait still are done, which should be quick then; later ones are refused.
    void stop();
    std::size_t waiting() const;

private:
    void run();

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    TurnOrder order_;
    bool stops_ = false;
    Rest rest_;
    Cancellation rest_ends_;
    std::thread thread_;  // last: it uses all of the above
};

}  // namespace hearth::server
