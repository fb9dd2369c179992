#include "base/child_process.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <thread>

#include "base/system_error.h"

#ifdef _WIN32
#include <windows.h>
#else
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

extern char** environ;
#endif

namespace hearth {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kStep{2};          // between two looks at a child that says nothing
constexpr milliseconds kAfterKill{1000};  // what is not gone by then is inside a driver

void keep(std::string& output, const char* bytes, std::size_t count, std::size_t most) {
    output.append(bytes, std::min(count, most - std::min(most, output.size())));
}

#ifdef _WIN32

class Handle {
public:
    explicit Handle(HANDLE handle = nullptr) : handle_(handle) {}
    ~Handle() { close(); }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    HANDLE get() const { return handle_; }
    HANDLE* out() { return &handle_; }
    void close() {
        if (handle_ != nullptr && handle_ != INVALID_HANDLE_VALUE) {
            CloseHandle(handle_);
        }
        handle_ = nullptr;
    }

private:
    HANDLE handle_;
};

// As the C runtime of the child takes its command line apart: backslashes count as escapes only in
// front of a quote.
void append_argument(std::wstring& line, const std::wstring& argument) {
    line += line.empty() ? L"\"" : L" \"";
    std::size_t slashes = 0;
    for (const wchar_t c : argument) {
        if (c == L'"') {
            line.append(slashes + 1, L'\\');
        }
        slashes = c == L'\\' ? slashes + 1 : 0;
        line += c;
    }
    line.append(slashes, L'\\');
    line += L'"';
}

// Of all handles of this process that a child could inherit, it gets those named here.
class InheritedHandles {
public:
    InheritedHandles() = default;
    ~InheritedHandles() {
        if (list_ != nullptr) {
            DeleteProcThreadAttributeList(list_);
        }
    }
    InheritedHandles(const InheritedHandles&) = delete;
    InheritedHandles& operator=(const InheritedHandles&) = delete;

    // `handles` stay the caller's, and where they are. False: see GetLastError().
    bool name(std::span<HANDLE> handles) {
        SIZE_T bytes = 0;
        InitializeProcThreadAttributeList(nullptr, 1, 0, &bytes);  // says how many
        memory_.resize(bytes);
        auto* const list = reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(memory_.data());
        if (InitializeProcThreadAttributeList(list, 1, 0, &bytes) == 0) {
            return false;
        }
        list_ = list;
        return UpdateProcThreadAttribute(list, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles.data(),
                                         handles.size_bytes(), nullptr, nullptr) != 0;
    }
    LPPROC_THREAD_ATTRIBUTE_LIST get() const { return list_; }

private:
    std::vector<std::byte> memory_;
    LPPROC_THREAD_ATTRIBUTE_LIST list_ = nullptr;
};

// What is in the pipe now. False: the other end is closed.
bool read_waiting(HANDLE pipe, std::string& output, std::size_t most) {
    std::array<char, 4096> piece{};
    DWORD waiting = 0;
    while (PeekNamedPipe(pipe, nullptr, 0, nullptr, &waiting, nullptr) != 0) {
        if (waiting == 0) {
            return true;
        }
        DWORD got = 0;
        const auto wanted = static_cast<DWORD>(std::min<std::size_t>(waiting, piece.size()));
        if (ReadFile(pipe, piece.data(), wanted, &got, nullptr) == 0) {
            return false;
        }
        keep(output, piece.data(), got, most);
    }
    return false;
}

#else

struct Pipe {
    ~Pipe() {
        close_end(0);
        close_end(1);
    }
    void close_end(std::size_t which) {
        if (ends[which] >= 0) {
            ::close(ends[which]);
            ends[which] = -1;
        }
    }
    // Neither end passes to children of other threads.
    bool open() {
        return ::pipe(ends.data()) == 0 && ::fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 &&
               ::fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0 &&
               ::fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
    }
    std::array<int, 2> ends{-1, -1};
};

// 0 or an error number.
int start(const std::string& program, const std::vector<std::string>& arguments,
          std::vector<std::string> variables, int output, pid_t& child) {
    std::vector<std::string> words{program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    std::vector<char*> environment;
    for (std::string& variable : variables) {
        environment.push_back(variable.data());
    }
    for (char** one = environ; *one != nullptr; ++one) {
        const std::string_view text(*one);
        const std::string_view name = text.substr(0, text.find('=') + 1);
        if (std::none_of(variables.begin(), variables.end(),
                         [&](const std::string& variable) { return variable.starts_with(name); })) {
            environment.push_back(*one);
        }
    }
    environment.push_back(nullptr);
    posix_spawn_file_actions_t files;
    if (const int failed = posix_spawn_file_actions_init(&files); failed != 0) {
        return failed;
    }
    posix_spawnattr_t attributes;
    if (const int failed = posix_spawnattr_init(&attributes); failed != 0) {
        posix_spawn_file_actions_destroy(&files);
        return failed;
    }
    // What this process ignores or blocks is its own affair.
    sigset_t none;
    sigemptyset(&none);
    sigset_t usual;
    sigemptyset(&usual);
    for (const int number : {SIGPIPE, SIGINT, SIGTERM, SIGXFSZ}) {
        sigaddset(&usual, number);
    }
    int failed = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    const auto then = [&](int result) { failed = failed != 0 ? failed : result; };
    then(posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO));
    then(posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0));
    then(posix_spawnattr_setsigmask(&attributes, &none));
    then(posix_spawnattr_setsigdefault(&attributes, &usual));
    then(posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
    if (failed == 0) {
        failed = posix_spawn(&child, program.c_str(), &files, &attributes, argv.data(),
                             environment.data());
    }
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return failed;
}

// Whether the child has ended by `deadline`; then `status` is what waitpid() says.
bool ended_by(pid_t child, Clock::time_point deadline, int& status) {
    while (true) {
        const pid_t waited = ::waitpid(child, &status, WNOHANG);
        if (waited == child) {
            return true;
        }
        if (waited < 0 && errno != EINTR) {  // somebody else has reaped it
            status = 0;
            return true;
        }
        if (Clock::now() >= deadline) {
            return false;
        }
        std::this_thread::sleep_for(kStep);
    }
}

// Until the child closes its end or `deadline`.
void read_until(int pipe, Clock::time_point deadline, std::string& output, std::size_t most) {
    std::array<char, 4096> piece{};
    while (true) {
        const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now()).count();
        if (left <= 0) {
            return;
        }
        pollfd waiting{pipe, POLLIN, 0};
        if (::poll(&waiting, 1, static_cast<int>(left)) < 0 && errno != EINTR) {
            return;
        }
        const ssize_t got = ::read(pipe, piece.data(), piece.size());
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
            return;
        }
        if (got > 0) {
            keep(output, piece.data(), static_cast<std::size_t>(got), most);
        }
    }
}

#endif

}  // namespace

#ifdef _WIN32

Result<ChildOutcome> run_child(const std::string& program,
                               const std::vector<std::string>& arguments, milliseconds time_max,
                               std::size_t output_bytes_max, const std::vector<std::string>&) {
    const Clock::time_point deadline = Clock::now() + time_max;
    const std::wstring path = wide_path(program);
    std::wstring line;
    append_argument(line, path);
    for (const std::string& argument : arguments) {
        append_argument(line, wide_path(argument));
    }
    SECURITY_ATTRIBUTES inherited{sizeof(SECURITY_ATTRIBUTES), nullptr, TRUE};
    Handle output_end;
    Handle child_end;
    Handle null(CreateFileW(L"NUL", GENERIC_READ | GENERIC_WRITE, 0, &inherited, OPEN_EXISTING, 0,
                            nullptr));
    if (null.get() == INVALID_HANDLE_VALUE ||
        CreatePipe(output_end.out(), child_end.out(), &inherited, 0) == 0 ||
        SetHandleInformation(output_end.get(), HANDLE_FLAG_INHERIT, 0) == 0) {
        return system_error(FileAction::Open, last_system_error(), program);
    }
    std::array<HANDLE, 2> handles{null.get(), child_end.get()};
    InheritedHandles named;
    if (!named.name(handles)) {
        return system_error(FileAction::Open, last_system_error(), program);
    }
    STARTUPINFOEXW startup{};
    startup.StartupInfo.cb = sizeof startup;
    startup.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
    startup.StartupInfo.hStdInput = null.get();
    startup.StartupInfo.hStdOutput = child_end.get();
    startup.StartupInfo.hStdError = null.get();
    startup.lpAttributeList = named.get();
    PROCESS_INFORMATION started{};
    if (CreateProcessW(path.c_str(), line.data(), nullptr, nullptr, TRUE,
                       CREATE_NO_WINDOW | EXTENDED_STARTUPINFO_PRESENT, nullptr, nullptr,
                       &startup.StartupInfo, &started) == 0) {
        return system_error(FileAction::Open, last_system_error(), program);
    }
    const Handle process(started.hProcess);
    const Handle thread(started.hThread);
    child_end.close();

    ChildOutcome outcome;
    bool ended = false;
    while (!ended && Clock::now() < deadline) {
        read_waiting(output_end.get(), outcome.output, output_bytes_max);
        ended =
            WaitForSingleObject(process.get(), static_cast<DWORD>(kStep.count())) == WAIT_OBJECT_0;
    }
    if (!ended) {
        outcome.end = ChildOutcome::End::TimedOut;
        TerminateProcess(process.get(), 1);
        WaitForSingleObject(process.get(), static_cast<DWORD>(kAfterKill.count()));
        return outcome;
    }
    read_waiting(output_end.get(), outcome.output, output_bytes_max);
    DWORD status = 0;
    GetExitCodeProcess(process.get(), &status);
    // An unhandled exception's code is an NTSTATUS of severity "error".
    outcome.end = status >= 0xC0000000U ? ChildOutcome::End::Crashed : ChildOutcome::End::Exited;
    outcome.status = static_cast<int>(status);
    return outcome;
}

#else

Result<ChildOutcome> run_child(const std::string& program,
                               const std::vector<std::string>& arguments, milliseconds time_max,
                               std::size_t output_bytes_max,
                               const std::vector<std::string>& variables) {
    const Clock::time_point deadline = Clock::now() + time_max;
    Pipe pipe;
    if (!pipe.open()) {
        return system_error(FileAction::Open, last_system_error(), program);
    }
    pid_t child = 0;
    if (const int failed = start(program, arguments, variables, pipe.ends[1], child); failed != 0) {
        return system_error(FileAction::Open, failed, program);
    }
    pipe.close_end(1);

    ChildOutcome outcome;
    read_until(pipe.ends[0], deadline, outcome.output, output_bytes_max);
    int status = 0;
    if (!ended_by(child, deadline, status)) {
        outcome.end = ChildOutcome::End::TimedOut;
        ::kill(child, SIGKILL);
        ended_by(child, Clock::now() + kAfterKill, status);
        return outcome;
    }
    outcome.end = WIFSIGNALED(status) ? ChildOutcome::End::Crashed : ChildOutcome::End::Exited;
    outcome.status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    return outcome;
}

#endif

}  // namespace hearth
