// How long a user waits: from starting `hearth-cli run` to the first byte of the answer.
//     first_token_bench HEARTH-CLI [RUNS]
// The file cache is warm after the first run, which is not counted. hearth-cli itself prints how
// the time splits; the last run's line is shown.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#ifdef _WIN32
#define popen _popen
#define pclose _pclose
#endif

namespace {

// Milliseconds to the first byte; negative if there was none.
double first_byte_ms(const std::string& command) {
    const auto start = std::chrono::steady_clock::now();
    std::FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) {
        return -1;
    }
    const int first = std::fgetc(pipe);
    const double ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    while (std::fgetc(pipe) != EOF) {}
    return pclose(pipe) == 0 && first != EOF ? ms : -1;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: first_token_bench HEARTH-CLI [RUNS]\n");
        return 2;
    }
    const int runs = argc > 2 ? std::max(1, std::atoi(argv[2])) : 11;
    const std::string command =
        std::string("\"") + argv[1] + "\" run -p \"What is rain?\" --temp 0 -n 1";
    std::vector<double> ms;
    for (int i = 0; i <= runs; ++i) {
        const bool last = i == runs;
        // The summary on standard error comes after the answer, so the first byte is the answer's
        // either way.
        const double value = first_byte_ms(last ? command : command + " 2>&1");
        if (value < 0) {
            std::fprintf(stderr, "%s gave no answer\n", argv[1]);
            return 1;
        }
        if (i > 0) {
            ms.push_back(value);
        }
    }
    std::sort(ms.begin(), ms.end());
    std::printf("first byte of the answer: median %.0f ms, %.0f to %.0f, %d runs\n",
                ms[ms.size() / 2], ms.front(), ms.back(), runs);
    return 0;
}
