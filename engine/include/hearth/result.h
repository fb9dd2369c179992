// Result<T>: a value or an Error. C++20 has no std::expected; the member names are the same, so
// that the switch will be a rename.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace hearth {

// The kind of a failure, as coarse as a caller's reaction to it. to_string() gives the JSON
// spelling.
enum class ErrorCode {
    InvalidArgument,  // the caller's request makes no sense
    NotFound,         // no such file
    NotAFile,         // a directory, a socket, ...
    PermissionDenied,
    ReadFailed,
    WriteFailed,
    DiskFull,
    BadFile,      // the bytes break the format's own rules
    Unsupported,  // well formed, but nothing here can run it
    OutOfMemory,  // the system refused
    OverBudget,   // the plan does not fit the user's budget; nothing was loaded
    ContextFull,  // the prompt is longer than the context
    Cancelled,
    DeviceLost,  // a GPU stopped answering
    Internal,
};

std::string_view to_string(ErrorCode code);

struct [[nodiscard]] Error {
    ErrorCode code = ErrorCode::Internal;
    std::string message{};  // one sentence that names the thing and the numbers
    std::string path{};     // the file it is about, if any
    std::string field{};    // the tensor, metadata key or option it is about, if any
};

template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

    bool has_value() const noexcept { return state_.index() == 0; }
    explicit operator bool() const noexcept { return has_value(); }

    // Precondition: has_value().
    T& value() & { return *std::get_if<0>(&state_); }
    const T& value() const& { return *std::get_if<0>(&state_); }
    T&& value() && { return std::move(*std::get_if<0>(&state_)); }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    // Precondition: !has_value().
    Error& error() & { return *std::get_if<1>(&state_); }
    const Error& error() const& { return *std::get_if<1>(&state_); }
    Error&& error() && { return std::move(*std::get_if<1>(&state_)); }

private:
    std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : error_(std::move(error)) {}

    bool has_value() const noexcept { return !error_.has_value(); }
    explicit operator bool() const noexcept { return has_value(); }
    void value() const noexcept {}

    Error& error() & { return *error_; }
    const Error& error() const& { return *error_; }
    Error&& error() && { return std::move(*error_); }

private:
    std::optional<Error> error_;
};

}  // namespace hearth
