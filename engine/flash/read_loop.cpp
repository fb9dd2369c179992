#include "flash/read_loop.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "base/assert.h"
#include "base/environment.h"

namespace hearth {
namespace {

constexpr const char* kPoolSize = "64";  // more threads than any disk here gained from

Error no_loop(const std::string& path, int number) {
    return Error{ErrorCode::OutOfMemory,
                 path + ": no event loop to read with: " + uv_strerror(number),
                 path,
                 {}};
}

}  // namespace

int ReadLoop::pool_threads() {
    static const int threads = [] {
        set_default_environment_variable("UV_THREADPOOL_SIZE", kPoolSize);
        const std::string set = environment_variable("UV_THREADPOOL_SIZE", kPoolSize);
        return std::clamp(std::atoi(set.c_str()), 1, 1024);
    }();
    return threads;
}

Result<void> ReadLoop::start(std::size_t readers, const std::string& path) {
    works_.resize(readers);
    idle_.reserve(readers);
    for (std::size_t i = 0; i < readers; ++i) {
        works_[i].work.data = &works_[i];
        works_[i].loop = this;
        works_[i].reader = i;
        idle_.push_back(&works_[i]);
    }
    if (const int failed = uv_loop_init(&loop_); failed != 0) {
        return no_loop(path, failed);
    }
    wake_.data = this;
    const int failed = uv_async_init(&loop_, &wake_, [](uv_async_t* handle) {
        static_cast<ReadLoop*>(handle->data)->hand_out();
    });
    if (failed != 0) {
        uv_loop_close(&loop_);
        return no_loop(path, failed);
    }
    try {
        thread_ = std::thread([this] {
            uv_run(&loop_, UV_RUN_DEFAULT);
            uv_loop_close(&loop_);
        });
    } catch (const std::system_error& error) {
        uv_close(reinterpret_cast<uv_handle_t*>(&wake_), nullptr);
        uv_run(&loop_, UV_RUN_DEFAULT);
        uv_loop_close(&loop_);
        return Error{
            ErrorCode::OutOfMemory, path + ": no thread to read with: " + error.what(), path, {}};
    }
    return {};
}

void ReadLoop::stop() {
    if (!thread_.joinable()) {
        return;
    }
    stopping_ = true;
    wake();
    thread_.join();
}

void ReadLoop::hand_out() {
    while (!idle_.empty() && turns_.begin_turn()) {
        Work& work = *idle_.back();
        idle_.pop_back();
        work.queued = true;
        const int failed = uv_queue_work(
            &loop_, &work.work,
            [](uv_work_t* request) {
                const auto* own = static_cast<Work*>(request->data);
                own->loop->turns_.turn(own->reader);
            },
            [](uv_work_t* request, int status) {
                auto* own = static_cast<Work*>(request->data);
                own->loop->turn_is_over(*own, status);
            });
        HEARTH_ASSERT(failed == 0);  // only a work without a function fails
    }
    if (!stopping_ || closed_) {
        return;
    }
    if (idle_.size() == works_.size()) {
        closed_ = true;
        uv_close(reinterpret_cast<uv_handle_t*>(&wake_), nullptr);
        return;
    }
    for (Work& work : works_) {
        if (work.queued) {
            uv_cancel(reinterpret_cast<uv_req_t*>(&work.work));  // if no thread has it yet
        }
    }
}

void ReadLoop::turn_is_over(Work& work, int status) {
    if (status == UV_ECANCELED) {
        turns_.drop_turn();
    }
    work.queued = false;
    idle_.push_back(&work);
    hand_out();
}

}  // namespace hearth
