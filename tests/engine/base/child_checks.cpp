// A child process and what it gets of its parent, also on Windows. child_process_test has the rest,
// on the other systems.
#ifdef _WIN32
#include <windows.h>
#endif

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/child_process.h"
#include "support/plain_checks.h"

namespace hearth::test {
namespace {

constexpr std::chrono::seconds kTime{60};

std::string this_program;  // as it was started

HEARTH_PLAIN_CHECK(its_words_come_back) {
    const auto outcome =
        run_child(this_program, {"print", "", "a b", "\"q\" \\", "C:\\end\\"}, kTime, 4096);
    HEARTH_CHECK(outcome && outcome->end == ChildOutcome::End::Exited);
    HEARTH_CHECK(outcome->output == "[][a b][\"q\" \\][C:\\end\\]");
    HEARTH_CHECK(outcome->status == 7);
    return {};
}

#ifdef _WIN32
// The child writes to the handle that has this number, if it has one: its own of that number may be
// something else.
HEARTH_PLAIN_CHECK(other_handles_stay_here) {
    SECURITY_ATTRIBUTES inherited{sizeof(SECURITY_ATTRIBUTES), nullptr, TRUE};
    HANDLE read_end = nullptr;
    HANDLE write_end = nullptr;
    HEARTH_CHECK(CreatePipe(&read_end, &write_end, &inherited, 0) != 0);
    const auto number = std::to_string(reinterpret_cast<std::uintptr_t>(write_end));
    const auto outcome = run_child(this_program, {"write", number}, kTime, 4096);
    DWORD waiting = 0;
    const bool looked = PeekNamedPipe(read_end, nullptr, 0, nullptr, &waiting, nullptr) != 0;
    CloseHandle(read_end);
    CloseHandle(write_end);
    HEARTH_CHECK(outcome && outcome->end == ChildOutcome::End::Exited && outcome->status == 8);
    HEARTH_CHECK(looked && waiting == 0);
    return {};
}
#endif

int child(int argc, char** argv) {
    if (std::string(argv[1]) == "print") {
        for (int i = 2; i < argc; ++i) {
            std::printf("[%s]", argv[i]);
        }
        return 7;
    }
#ifdef _WIN32
    DWORD written = 0;
    WriteFile(reinterpret_cast<HANDLE>(std::strtoull(argv[2], nullptr, 10)), "x", 1, &written,
              nullptr);
#endif
    return 8;
}

}  // namespace
}  // namespace hearth::test

int main(int argc, char** argv) {
    hearth::test::this_program = argv[0];
    return argc > 2 ? hearth::test::child(argc, argv) : hearth::test::run_plain_checks();
}
