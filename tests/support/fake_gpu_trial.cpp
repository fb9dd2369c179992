// Answers "probe-gpu INDEX" as a front end does, but for drivers of every kind: HEARTH_FAKE_TRIAL
// says which. The answer "text" is in HEARTH_FAKE_ANSWER. "probe-gpu list" likewise, by
// HEARTH_FAKE_LISTING and HEARTH_FAKE_LIST.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>

int main(int argc, char** argv) {
    const bool lists = argc == 3 && std::strcmp(argv[2], "list") == 0;
    const char* mode = std::getenv(lists ? "HEARTH_FAKE_LISTING" : "HEARTH_FAKE_TRIAL");
    const char* answer = std::getenv(lists ? "HEARTH_FAKE_LIST" : "HEARTH_FAKE_ANSWER");
    const std::string_view how = mode == nullptr ? "" : mode;
    if (argc != 3 || std::strcmp(argv[1], "probe-gpu") != 0) {
        return 2;
    }
    if (how == "crash") {
        std::abort();
    }
    if (how == "hang") {
        std::this_thread::sleep_for(std::chrono::minutes(10));
    }
    // With a manifest of that name among the drivers, or with all that there are.
    const char* drivers = std::getenv("VK_DRIVER_FILES");
    const bool dies = drivers == nullptr || std::strstr(drivers, "bad") != nullptr;
    if (how == "crash on bad" && dies) {
        std::abort();
    }
    if (how == "hang on bad" && dies) {
        std::this_thread::sleep_for(std::chrono::minutes(10));
    }
    if (how == "crash on bad" || how == "hang on bad") {
        std::fputs(answer, stdout);
    }
    if (how == "text" || how == "crash after the answer") {
        std::fputs(answer, stdout);
        std::fflush(stdout);
    }
    if (how == "crash after the answer") {
        std::abort();
    }
    if (how == "crash on 0" && std::strcmp(argv[2], "0") == 0) {
        std::abort();
    }
    if (how == "crash on 0") {
        std::fputs(answer, stdout);
    }
    return how == "exit" ? 3 : 0;
}
