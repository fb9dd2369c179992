// Runs another program and takes what it prints.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace hearth::bench {

struct ChildResult {
    bool started = false;
    int status = -1;         // 0: success; what the system's shell makes of the rest
    std::string output;      // standard output
    std::string last_error;  // last line of standard error, at most 300 bytes
    bool is_cut = false;     // it printed more than kMostOutput
};
inline constexpr std::size_t kMostOutput = std::size_t{16} << 20;

// Waits until it ends. The arguments reach it as they are, whatever characters they have; the
// environment is this process's.
ChildResult run_child(const std::vector<std::string>& arguments);

// One argument as a shell takes it: sh, on Windows cmd.exe.
std::string shell_quoted(const std::string& argument);

// Sets a variable of this process's environment, which children inherit.
void set_environment(const std::string& name, const std::string& value);

}  // namespace hearth::bench
