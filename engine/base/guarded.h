// Where exceptions end. Small allocations throw, and so may a caller's callback; what stands in
// include/hearth/ does its work inside guarded(), and so does what runs on a thread pool and can
// fail.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <utility>

#include <hearth/result.h>

namespace hearth {

// An Error about `path`, made without an exception even where nothing can be allocated: then
// without the path, and with a message of at most 15 characters, which a string holds in itself.
inline Error error_without_memory(ErrorCode code, const char* short_message, const char* message,
                                  const std::string& path) noexcept {
    Error error;
    error.code = code;
    try {
        error.message = short_message;
        error.path = path;
        error.message = message;
    } catch (...) {  // what is set by now has to do
    }
    return error;
}

// What `function` returns, a Result; OutOfMemory for std::bad_alloc and Internal for any other
// exception, about `path`.
template <class Function>
auto guarded(const std::string& path, Function&& function) noexcept
    -> decltype(std::forward<Function>(function)()) {
    try {
        return std::forward<Function>(function)();
    } catch (const std::bad_alloc&) {
        return error_without_memory(ErrorCode::OutOfMemory, "out of memory", "out of memory", path);
    } catch (const std::exception& exception) {
        return error_without_memory(ErrorCode::Internal, "internal error", exception.what(), path);
    } catch (...) {
        return error_without_memory(ErrorCode::Internal, "internal error", "internal error", path);
    }
}

// guarded(), and BadFile without a path names that one: what a model's weights or logits are is
// found out where nobody knows its file.
template <class Function>
auto guarded_naming(const std::string& path, Function&& function) noexcept
    -> decltype(std::forward<Function>(function)()) {
    return guarded(path, [&]() -> decltype(std::forward<Function>(function)()) {
        auto result = std::forward<Function>(function)();
        if (!result && result.error().code == ErrorCode::BadFile && result.error().path.empty()) {
            result.error().path = path;
        }
        return result;
    });
}

}  // namespace hearth
