#include "bridge/gpu_trial.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>

#include <hearth/tools.h>

namespace hearth::ui {
namespace {

int answer(const std::string& text) {
    const bool written = std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
    return written ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

std::optional<int> gpuTrial(int argc, char** argv) {
    if (argc != 3 || std::strcmp(argv[1], "probe-gpu") != 0) {
        return std::nullopt;
    }
    if (std::strcmp(argv[2], "list") == 0) {
        return answer(tools::list_gpus_here());
    }
    int index = 0;
    const char* const textEnd = argv[2] + std::strlen(argv[2]);
    const auto [end, error] = std::from_chars(argv[2], textEnd, index);
    if (error != std::errc{} || end != textEnd) {
        return EXIT_FAILURE;
    }
    return answer(tools::probe_gpu_here(index));
}

}  // namespace hearth::ui
