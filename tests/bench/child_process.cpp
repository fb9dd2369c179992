// popen() through the shell: it is the same on every system, and quoting is all that differs.
#include "bench/child_process.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#ifdef _WIN32
#define popen _popen
#define pclose _pclose
#endif

namespace hearth::bench {
namespace {

constexpr std::size_t kMostErrorBytes = 300;
constexpr std::streamoff kMostTail = 64 << 10;

// A file for standard error that no other run of this program uses.
std::filesystem::path error_file() {
    static std::atomic<int> number{0};
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
    return folder / ("hearth-compare-" + std::to_string(now) + "-" + std::to_string(++number));
}

std::string last_line(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    file.seekg(0, std::ios::end);
    const std::streamoff size = file.tellg();
    if (!file || size <= 0) {
        return {};
    }
    file.seekg(size > kMostTail ? size - kMostTail : 0);
    std::string last;
    for (std::string line; std::getline(file, line);) {
        if (line.find_first_not_of(" \t\r") != std::string::npos) {
            last = line.substr(0, kMostErrorBytes);
        }
    }
    return last;
}

}  // namespace

std::string shell_quoted(const std::string& argument) {
#ifdef _WIN32
    // Backslashes count as escapes only in front of a quote.
    std::string out = "\"";
    std::size_t slashes = 0;
    for (const char c : argument) {
        slashes = c == '\\' ? slashes + 1 : slashes;
        if (c == '"') {
            out.append(slashes + 1, '\\');
        }
        slashes = c == '\\' ? slashes : 0;
        out += c;
    }
    return out.append(slashes, '\\') + "\"";
#else
    std::string out = "'";
    for (const char c : argument) {
        if (c == '\'') {
            out += "'\\''";
        } else {
            out += c;
        }
    }
    return out + "'";
#endif
}

ChildResult run_child(const std::vector<std::string>& arguments) {
    const std::filesystem::path errors = error_file();
    std::string command;
    for (const std::string& argument : arguments) {
        command += shell_quoted(argument) + " ";
    }
    command += "2>" + shell_quoted(errors.string());
#ifdef _WIN32
    command = "\"" + command + "\"";  // cmd.exe takes the outer pair away
#endif
    ChildResult result;
    std::FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) {
        result.last_error = "could not be started";
        return result;
    }
    result.started = true;
    std::array<char, 4096> piece{};
    // To its end in any case: a full pipe would stop the child.
    while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), pipe)) {
        if (result.output.size() + got <= kMostOutput) {
            result.output.append(piece.data(), got);
        } else {
            result.is_cut = true;
        }
    }
    result.status = pclose(pipe);
    result.last_error = last_line(errors);
    std::error_code ignored;
    std::filesystem::remove(errors, ignored);
    return result;
}

void set_environment(const std::string& name, const std::string& value) {
#ifdef _WIN32
    _putenv_s(name.c_str(), value.c_str());
#else
    setenv(name.c_str(), value.c_str(), 1);
#endif
}

}  // namespace hearth::bench
