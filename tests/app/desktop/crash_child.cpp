// The program that crash_test lets crash: hearth-crash-child REPORT HOW
#include <array>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "system/crash_handler.h"

namespace {

// Volatile, so that the compiler leaves the faults in.
volatile int* volatile nowhere = nullptr;

[[gnu::noinline]] int useUpTheStack(int depth) {
    if (depth > 1'000'000'000) {  // never: the compiler wants an end
        return 0;
    }
    std::array<volatile char, 4096> room;
    room[0] = static_cast<char>(depth);
    return useUpTheStack(depth + 1) + room[0];
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3 || !hearth::ui::installCrashHandler(argv[1], "head of the report\n")) {
        return 2;
    }
    hearth::ui::setCrashFacts("model: llama, 12 layers\n");
    hearth::ui::noteModules();
    const char* const how = argv[2];
    if (std::strcmp(how, "null") == 0) {
        *nowhere = 1;
    } else if (std::strcmp(how, "terminate") == 0) {
        std::thread([] { throw std::runtime_error("nobody catches this"); }).join();
    } else if (std::strcmp(how, "overflow") == 0) {
        return useUpTheStack(0);
    } else if (std::strcmp(how, "thread") == 0) {
        std::thread([] { *nowhere = 1; }).join();
    }
    return 0;
}
