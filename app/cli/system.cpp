#include "system.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>
#include <windows.h>
// shellapi.h wants windows.h first
#include <shellapi.h>

#include "console_reader.h"
#else
#include <fcntl.h>
#include <unistd.h>

#include <ctime>
#endif
#ifdef __APPLE__
#include <mach-o/dyld.h>
#include <sys/sysctl.h>
#include <sys/time.h>
#endif

namespace hearth::cli {
namespace {

std::atomic<Cancellation*> interrupt_target{nullptr};
std::atomic<int> interrupts{0};
static_assert(std::atomic<Cancellation*>::is_always_lock_free);

// Standard output has one writer: the handler or the program, whichever takes this pointer first.
std::atomic<const std::string*> interrupt_output{nullptr};
static_assert(std::atomic<const std::string*>::is_always_lock_free);
bool output_offered = false;

// Calls only functions that a signal handler may call.
void write_all(const std::string& bytes) {
    std::size_t done = 0;
    while (done < bytes.size()) {
#ifdef _WIN32
        const int n = _write(1, bytes.data() + done, static_cast<unsigned>(bytes.size() - done));
#else
        const ssize_t n = ::write(STDOUT_FILENO, bytes.data() + done, bytes.size() - done);
#endif
        if (n <= 0) {
            return;
        }
        done += static_cast<std::size_t>(n);
    }
}

extern "C" void on_interrupt([[maybe_unused]] int number) {
#ifdef _WIN32
    std::signal(number, on_interrupt);  // Windows resets it with each signal
#endif
    Cancellation* target = interrupt_target.load();
    if (target == nullptr || interrupts.fetch_add(1) > 0) {
        if (const std::string* output = interrupt_output.exchange(nullptr)) {
            write_all(*output);
        }
        std::_Exit(130);
    }
    target->request();
}

// Like read_some(), with bytes as they are.
std::ptrdiff_t read_bytes(std::FILE* file, std::span<char> out) {
    const std::size_t bytes = std::fread(out.data(), 1, out.size(), file);
    return bytes == 0 && std::ferror(file) != 0 ? -1 : static_cast<std::ptrdiff_t>(bytes);
}

// Like write_text(), with bytes as they are.
bool write_bytes(std::FILE* stream, std::string_view text) {
    return std::fwrite(text.data(), 1, text.size(), stream) == text.size() &&
           std::fflush(stream) == 0;
}

#ifdef _WIN32

std::string to_utf8(const wchar_t* text) {
    const int bytes = WideCharToMultiByte(CP_UTF8, 0, text, -1, nullptr, 0, nullptr, nullptr);
    std::string out(static_cast<std::size_t>(std::max(bytes, 1)), '\0');
    WideCharToMultiByte(CP_UTF8, 0, text, -1, out.data(), bytes, nullptr, nullptr);
    out.pop_back();
    return out;
}

// True for a console. The null device, which the C runtime also takes for a terminal, is none.
bool is_console(DWORD stream) {
    DWORD mode = 0;
    return GetConsoleMode(GetStdHandle(stream), &mode) != 0;
}

std::ptrdiff_t read_console(std::span<char16_t> out) {
    while (true) {
        DWORD units = 0;
        SetLastError(ERROR_SUCCESS);
        if (!ReadConsoleW(GetStdHandle(STD_INPUT_HANDLE), out.data(),
                          static_cast<DWORD>(out.size()), &units, nullptr)) {
            errno = EIO;
            return -1;
        }
        // Ctrl+C looks like the end of input. Its handler, on a thread of its own, is about to end
        // the process.
        if (units > 0 || GetLastError() != ERROR_OPERATION_ABORTED) {
            return static_cast<std::ptrdiff_t>(units);
        }
    }
}

// Like write_text().
bool write_console(HANDLE console, std::string_view text) {
    const int bytes = static_cast<int>(text.size());
    const int units = MultiByteToWideChar(CP_UTF8, 0, text.data(), bytes, nullptr, 0);
    std::wstring wide(static_cast<std::size_t>(std::max(units, 0)), L'\0');
    MultiByteToWideChar(CP_UTF8, 0, text.data(), bytes, wide.data(), units);
    for (std::size_t at = 0; at < wide.size();) {
        // Older consoles refuse 64 KiB. A character may be two units, which must go together.
        std::size_t count = std::min(wide.size() - at, std::size_t{16 * 1024});
        if (at + count < wide.size() && IS_HIGH_SURROGATE(wide[at + count - 1])) {
            --count;
        }
        DWORD done = 0;
        if (!WriteConsoleW(console, wide.data() + at, static_cast<DWORD>(count), &done, nullptr) ||
            done == 0) {
            errno = EIO;
            return false;
        }
        at += done;
    }
    return true;
}

#endif

}  // namespace

void say(std::string_view text) {
    write_text(stderr, text);
}

void set_interrupt_target(Cancellation* target) {
    interrupts.store(0);
    interrupt_target.store(target);
}

void termination_interrupts() {
    std::signal(SIGTERM, on_interrupt);
}

bool was_interrupted() {
    return interrupts.load() > 0;
}

void offer_interrupt_output(std::string bytes) {
    static std::string kept;  // neither freed before the process ends nor changed once offered
    kept = std::move(bytes);
    output_offered = true;
    interrupt_output.store(&kept);
}

void withdraw_interrupt_output() {
    if (!output_offered) {
        return;
    }
    output_offered = false;
    if (interrupt_output.exchange(nullptr) == nullptr) {
        // The handler runs on another thread, writes, and ends the process meanwhile.
        while (true) {
            std::this_thread::sleep_for(std::chrono::seconds(1));
        }
    }
}

#ifdef _WIN32

void prepare_streams() {
    _setmode(_fileno(stdin), _O_BINARY);
    _setmode(_fileno(stdout), _O_BINARY);
    std::signal(SIGINT, on_interrupt);
}

std::vector<std::string> arguments(int, char**) {
    std::vector<std::string> out;
    int count = 0;
    if (wchar_t** words = CommandLineToArgvW(GetCommandLineW(), &count)) {
        for (int i = 1; i < count; ++i) {
            out.push_back(to_utf8(words[i]));
        }
        LocalFree(words);
    }
    return out;
}

double process_age_ms() {
    FILETIME created, exited, kernel, user, now;
    if (!GetProcessTimes(GetCurrentProcess(), &created, &exited, &kernel, &user)) {
        return 0;
    }
    GetSystemTimePreciseAsFileTime(&now);
    const auto ticks = [](const FILETIME& t) {
        return (static_cast<std::int64_t>(t.dwHighDateTime) << 32) | t.dwLowDateTime;
    };
    return std::max(0.0, static_cast<double>(ticks(now) - ticks(created)) / 1e4);
}

unsigned long process_id() {
    return GetCurrentProcessId();
}

std::FILE* create_file(const std::filesystem::path& path) {
    // fopen's x is no choice: the older C runtime (msvcrt.dll) does not know it. The file is not
    // inherited, because a child process with the file open, such as the one that tries the GPU,
    // would keep it from being renamed.
    const int file = _wopen(path.c_str(), _O_WRONLY | _O_CREAT | _O_EXCL | _O_BINARY | _O_NOINHERIT,
                            _S_IREAD | _S_IWRITE);
    return file < 0 ? nullptr : _fdopen(file, "wb");
}

bool input_is_terminal() {
    return is_console(STD_INPUT_HANDLE);
}

bool errors_are_terminal() {
    return is_console(STD_ERROR_HANDLE);
}

bool write_text(std::FILE* stream, std::string_view text) {
    const DWORD which = stream == stderr ? STD_ERROR_HANDLE : STD_OUTPUT_HANDLE;
    return is_console(which) ? write_console(GetStdHandle(which), text) : write_bytes(stream, text);
}

std::ptrdiff_t read_some(std::FILE* file, std::span<char> out) {
    static const bool typed = input_is_terminal();
    if (file != stdin || !typed) {
        return read_bytes(file, out);
    }
    static ConsoleReader console(read_console);
    return console.read(out);
}

std::string executable_path() {
    std::wstring path(32768, L'\0');
    const DWORD length = GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size()));
    path.resize(length);
    return to_utf8(path.c_str());
}

std::string environment_token() {
    const wchar_t* value = _wgetenv(L"HEARTH_API_TOKEN");
    return value == nullptr ? std::string() : to_utf8(value);
}

std::string cache_folder() {
    const wchar_t* folder = _wgetenv(L"LOCALAPPDATA");
    return folder == nullptr ? std::string() : to_utf8(folder) + "\\hearth";
}

#else

void prepare_streams() {
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (fcntl(fd, F_GETFD) == -1) {
            // open() takes the lowest free number, which is this one. Output to a standard output
            // that was closed must fail, not vanish.
            if (open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_RDWR) != fd) {
                std::_Exit(1);
            }
        }
    }
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    struct sigaction action = {};
    action.sa_handler = on_interrupt;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, nullptr);
}

std::vector<std::string> arguments(int argc, char** argv) {
    return {argv + std::min(argc, 1), argv + argc};
}

unsigned long process_id() {
    return static_cast<unsigned long>(getpid());
}

std::FILE* create_file(const std::filesystem::path& path) {
    return std::fopen(path.c_str(), "wbx");
}

bool input_is_terminal() {
    return isatty(STDIN_FILENO) != 0;
}

bool errors_are_terminal() {
    return isatty(STDERR_FILENO) != 0;
}

bool write_text(std::FILE* stream, std::string_view text) {
    return write_bytes(stream, text);
}

std::ptrdiff_t read_some(std::FILE* file, std::span<char> out) {
    return read_bytes(file, out);
}

std::string environment_token() {
    const char* value = std::getenv("HEARTH_API_TOKEN");
    return value == nullptr ? "" : value;
}

std::string cache_folder() {
    const auto variable = [](const char* name) {
        const char* value = std::getenv(name);
        return std::string(value == nullptr ? "" : value);
    };
    // XDG Base Directory Specification: a path that is not absolute must be ignored.
    if (const std::string cache = variable("XDG_CACHE_HOME"); cache.starts_with('/')) {
        return cache + "/hearth";
    }
    const std::string home = variable("HOME");
    if (home.empty()) {
        return {};
    }
#ifdef __APPLE__
    return home + "/Library/Caches/hearth";
#else
    return home + "/.cache/hearth";
#endif
}

#ifdef __APPLE__

double process_age_ms() {
    int name[] = {CTL_KERN, KERN_PROC, KERN_PROC_PID, getpid()};
    kinfo_proc info = {};
    std::size_t bytes = sizeof info;
    timeval now = {};
    if (sysctl(name, 4, &info, &bytes, nullptr, 0) != 0 || gettimeofday(&now, nullptr) != 0) {
        return 0;
    }
    const timeval& start = info.kp_proc.p_starttime;
    const double seconds = static_cast<double>(now.tv_sec - start.tv_sec) +
                           static_cast<double>(now.tv_usec - start.tv_usec) / 1e6;
    return std::max(0.0, seconds * 1e3);
}

std::string executable_path() {
    char path[4096];
    std::uint32_t bytes = sizeof path;
    return _NSGetExecutablePath(path, &bytes) == 0 ? path : "";
}

#else

double process_age_ms() {
    // Field 22 of stat: ticks between boot and this process's start. Field 2, the program's name in
    // parentheses, may hold spaces.
    std::ifstream file("/proc/self/stat");
    std::string text;
    std::getline(file, text);
    std::istringstream fields(text.substr(std::min(text.rfind(')') + 1, text.size())));
    std::string skipped;
    for (int field = 3; field < 22; ++field) {
        fields >> skipped;
    }
    double start_ticks = 0;
    timespec now = {};
    const long ticks_per_second = sysconf(_SC_CLK_TCK);
    if (!(fields >> start_ticks) || ticks_per_second <= 0 ||
        clock_gettime(CLOCK_BOOTTIME, &now) != 0) {
        return 0;
    }
    const double seconds = static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
    return std::max(0.0, (seconds - start_ticks / static_cast<double>(ticks_per_second)) * 1e3);
}

std::string executable_path() {
    std::string path(4096, '\0');
    const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
    path.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
    return path;
}

#endif
#endif

}  // namespace hearth::cli
