// Checks without Qt, so that they also run on Windows. A program of them prints a line for each.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

namespace hearth::test {

struct PlainCheck {
    std::string name;
    std::string (*run)();  // what was wrong, or nothing
};

// The program's exit status: 1 if one failed.
inline int run_plain_checks(const std::vector<PlainCheck>& checks) {
    int failed = 0;
    for (const PlainCheck& check : checks) {
        const std::string wrong = check.run();
        std::printf("%-4s %s %s\n", wrong.empty() ? "ok" : "FAIL", check.name.c_str(),
                    wrong.c_str());
        std::fflush(stdout);
        failed += wrong.empty() ? 0 : 1;
    }
    return failed == 0 ? 0 : 1;
}

}  // namespace hearth::test

// In a check: ends it, and says which condition does not hold.
#define HEARTH_CHECK(condition)                                                \
    do {                                                                       \
        if (!(condition)) {                                                    \
            return "line " + std::to_string(__LINE__) + ": not " + #condition; \
        }                                                                      \
    } while (false)
