// Checks without Qt, so that they also run on Windows. A program of them prints a line for each;
// its main() is plain_checks_main.cpp, or its own, which calls run_plain_checks().
//
//     HEARTH_PLAIN_CHECK(a_file_is_created_once) {
//         HEARTH_CHECK(created());
//         return {};
//     }
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace hearth::test {

struct PlainCheck {
    std::string name;
    std::string (*run)();  // what was wrong, or nothing
};

// Of this program, in the order of the file.
inline std::vector<PlainCheck>& plain_checks() {
    static std::vector<PlainCheck> checks;
    return checks;
}

inline bool list_plain_check(std::string name, std::string (*run)()) {
    std::replace(name.begin(), name.end(), '_', ' ');
    plain_checks().push_back({std::move(name), run});
    return true;
}

// Prints each; an exit status: 1 if one failed or there is none.
inline int run_plain_checks() {
    bool all = !plain_checks().empty();
    for (const PlainCheck& check : plain_checks()) {
        const std::string wrong = check.run();
        std::printf("%-4s %s %s\n", wrong.empty() ? "ok" : "FAIL", check.name.c_str(),
                    wrong.c_str());
        std::fflush(stdout);
        all = all && wrong.empty();
    }
    return all ? 0 : 1;
}

}  // namespace hearth::test

// Begins a function that returns what was wrong, and lists it under its name, with blanks.
#define HEARTH_PLAIN_CHECK(name)                                                                   \
    std::string name();                                                                            \
    [[maybe_unused]] const bool name##_is_listed = ::hearth::test::list_plain_check(#name, &name); \
    std::string name()

// In a check: ends it, and says which condition does not hold.
#define HEARTH_CHECK(condition)                                                \
    do {                                                                       \
        if (!(condition)) {                                                    \
            return "line " + std::to_string(__LINE__) + ": not " + #condition; \
        }                                                                      \
    } while (false)
