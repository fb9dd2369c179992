// The first failure of several threads.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <utility>

#include <hearth/result.h>

namespace hearth {

class FirstError {
public:
    void set(Error error) {
        const std::lock_guard lock(mutex_);
        if (!error_) {
            error_ = std::move(error);
            failed_.store(true, std::memory_order_relaxed);
        }
    }
    bool failed() const { return failed_.load(std::memory_order_relaxed); }
    // Precondition: failed(), and the threads have ended.
    const Error& error() const { return *error_; }

private:
    std::mutex mutex_;
    std::optional<Error> error_;
    std::atomic<bool> failed_{false};
};

}  // namespace hearth
