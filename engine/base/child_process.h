// Runs another program for something that may crash or never end, and takes what it prints.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include <hearth/result.h>

namespace hearth {

struct ChildOutcome {
    enum class End {
        Exited,
        Crashed,   // a signal or, on Windows, an exception ended it
        TimedOut,  // and was killed
    };
    End end = End::Exited;
    int status = 0;      // Exited: its exit status; Crashed: the signal or exception
    std::string output;  // its standard output, the first output_bytes_max of it
};

// Starts `program` (a path, UTF-8) with the arguments as they are, whatever characters they have.
// It gets this process's environment with `variables` ("NAME=value") in place of those of that
// name, which Windows' children do not get, no standard input, and nobody reads its standard error.
// Returns when it has ended, at the latest `time_max` from now: then it is killed. One that not
// even that ends, since it is inside a driver, is left behind after another second. NotFound,
// PermissionDenied, ReadFailed: it cannot be started; OutOfMemory. Any thread.
Result<ChildOutcome> run_child(const std::string& program,
                               const std::vector<std::string>& arguments,
                               std::chrono::milliseconds time_max, std::size_t output_bytes_max,
                               const std::vector<std::string>& variables = {});

}  // namespace hearth
