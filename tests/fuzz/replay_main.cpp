// Runs a fuzz target once over every file given, and over every file of every folder given:
// the corpus as a regression test, with any compiler.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fuzz/fuzz_input.h"

namespace {

namespace fs = std::filesystem;

bool replay(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!file.is_open() || file.bad()) {
        std::fprintf(stderr, "%s cannot be read\n", path.string().c_str());
        return false;
    }
    // Said before it runs: after a crash the last line is the input to blame.
    std::printf("%s\n", path.filename().string().c_str());
    std::fflush(stdout);
    // A copy of its own on the heap, so that a sanitizer sees reads past its end.
    const std::vector<std::uint8_t> copy(bytes.begin(), bytes.end());
    LLVMFuzzerTestOneInput(copy.data(), copy.size());
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<fs::path> paths;
    for (int i = 1; i < argc; ++i) {
        std::error_code error;
        if (fs::is_directory(argv[i], error)) {
            for (const fs::directory_entry& entry : fs::directory_iterator(argv[i], error)) {
                paths.push_back(entry.path());
            }
        } else {
            paths.emplace_back(argv[i]);
        }
    }
    if (paths.empty()) {
        std::fprintf(stderr, "no inputs: give files or folders\n");
        return 2;
    }
    std::sort(paths.begin(), paths.end());
    const bool all = std::all_of(paths.begin(), paths.end(), replay);
    std::printf("%zu inputs\n", paths.size());
    return all ? 0 : 1;
}
