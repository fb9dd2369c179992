// The program that child_process_test starts: does what its first argument says.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

int main(int argc, char** argv) {
    const std::string what = argc > 1 ? argv[1] : "";
    if (what == "print") {
        for (int i = 2; i < argc; ++i) {
            std::printf("[%s]", argv[i]);
        }
        return 0;
    }
    if (what == "read") {
        std::printf("%d", std::fgetc(stdin));
        std::fputs("not to be seen", stderr);
        return 0;
    }
    if (what == "exit") {
        return std::atoi(argv[2]);
    }
    if (what == "crash") {
        std::fputs("so far", stdout);
        std::fflush(stdout);
        std::abort();
    }
    if (what == "hang" || what == "hang closed") {
        std::fputs("so far", stdout);
        std::fflush(stdout);
        if (what == "hang closed") {
            std::fclose(stdout);
        }
        std::this_thread::sleep_for(std::chrono::minutes(10));
    }
    if (what == "flood") {
        const std::string line(1000, 'x');
        for (int i = 0; i < 2000; ++i) {
            std::fputs(line.c_str(), stdout);
        }
        return 0;
    }
    return 99;
}
