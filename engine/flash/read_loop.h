// libuv's side of a queue of reads: one thread runs the loop and hands turns to threads of libuv's
// pool, which all queues of a process share.
#pragma once

#include <uv.h>

#include <atomic>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include <hearth/result.h>

namespace hearth {

// Who reads in the turns.
class ReadTurns {
public:
    // Whether one more reader shall get a turn; if so, it counts as begun. The loop's thread.
    virtual bool begin_turn() = 0;
    // A thread of the pool; several at once, of different readers.
    virtual void turn(std::size_t reader) noexcept = 0;
    // A turn that was begun does not come, since the loop stops. The loop's thread.
    virtual void drop_turn() = 0;

protected:
    ~ReadTurns() = default;
};

class ReadLoop {
public:
    // Reads that libuv's pool can do at once. libuv reads the size of its pool once, when the first
    // work is queued; a size that the user has set stays.
    static int pool_threads();

    // turns must outlive this.
    explicit ReadLoop(ReadTurns& turns) : turns_(turns) {}
    ~ReadLoop() { stop(); }
    ReadLoop(const ReadLoop&) = delete;
    ReadLoop& operator=(const ReadLoop&) = delete;

    // path: for the message of an error. OutOfMemory: no thread or no loop. Throws std::bad_alloc.
    Result<void> start(std::size_t readers, const std::string& path);
    // begin_turn() will be asked. Any thread.
    void wake() { uv_async_send(&wake_); }
    // Returns when every turn is over; turns that no thread has yet do not come.
    void stop();

private:
    struct Work {
        uv_work_t work{};
        ReadLoop* loop = nullptr;
        std::size_t reader = 0;
        bool queued = false;
    };
    void hand_out();
    void turn_is_over(Work& work, int status);

    ReadTurns& turns_;
    std::atomic<bool> stopping_ = false;
    uv_loop_t loop_{};
    uv_async_t wake_{};
    std::thread thread_{};
    // The loop's thread alone.
    std::vector<Work> works_{};
    std::vector<Work*> idle_{};
    bool closed_ = false;
};

}  // namespace hearth
