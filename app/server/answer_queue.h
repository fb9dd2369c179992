// The queue before the one engine, as the local API sees it. hearth-cli has a thread for it
// (TurnQueue), the window its engine's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace hearth::server {

// Does one job at a time on the thread that the engine belongs to. Any thread may call any member;
// neither waits for a job.
class AnswerQueue {
public:
    using Job = std::function<void()>;

    virtual ~AnswerQueue() = default;
    // client: any name; clients take turns (TurnOrder). id: of the job, for forget(). False: too
    // many wait, or the queue has ended.
    virtual bool add(const std::string& client, std::uint64_t id, Job job) = 0;
    // Drops a job that waits. False: there is none, or it is being done.
    virtual bool forget(std::uint64_t id) = 0;
};

}  // namespace hearth::server
