// The one queue before the one engine.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>

namespace hearth::server {

// Does one job at a time on a thread of its own. Clients take turns: each client's oldest job is
// done before a second one of any client's. Any thread may call any member, but for stop().
class TurnQueue {
public:
    using Job = std::function<void()>;

    // idle: done on the queue's thread when no job waits after one was done. waiting_most: jobs
    // that may wait.
    TurnQueue(std::size_t waiting_most, Job idle);
    ~TurnQueue();  // as stop()
    TurnQueue(const TurnQueue&) = delete;
    TurnQueue& operator=(const TurnQueue&) = delete;

    // client: any name. id: of the job, for forget(). False: too many wait, or the queue stopped.
    bool add(const std::string& client, std::uint64_t id, Job job);
    // Drops a job that waits. False: there is none, or it is being done.
    bool forget(std::uint64_t id);
    // Jobs that wait still are done, which should be quick then; later ones are refused.
    void stop();
    std::size_t waiting() const;

private:
    struct Waiting {
        std::uint64_t id = 0;
        Job job;
    };
    struct Client {
        std::string name;
        std::deque<Waiting> jobs;  // never empty
    };

    void run();
    Job take();

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::list<Client> clients_;  // whose turn is next comes first
    std::size_t waiting_ = 0;
    std::size_t waiting_most_;
    bool stops_ = false;
    Job idle_;
    std::thread thread_;  // last: it uses all of the above
};

}  // namespace hearth::server
