#include "support/test_program.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

namespace hearth::test {
namespace {

// Constructed when the first entry asks, whatever the order of the files.
std::map<std::string, ProgramEntry::Run, std::less<>>& entries() {
    static std::map<std::string, ProgramEntry::Run, std::less<>> kEntries;
    return kEntries;
}

std::string stem_of(std::string_view file) {
    file.remove_prefix(file.find_last_of("/\\") + 1);
    constexpr std::string_view kEnd = "_test.cpp";
    return std::string(
        file.substr(0, file.ends_with(kEnd) ? file.size() - kEnd.size() : file.size()));
}

}  // namespace

ProgramEntry::ProgramEntry(const char* file, Run run) {
    if (!entries().emplace(stem_of(file), run).second) {
        std::fprintf(stderr, "two tests in this program are called %s\n", stem_of(file).c_str());
        std::abort();
    }
}

}  // namespace hearth::test

int main(int argc, char** argv) {
    const auto& entries = hearth::test::entries();
    const auto entry = entries.find(std::string_view(argc > 1 ? argv[1] : ""));
    if (entry == entries.end()) {
        std::fprintf(
            stderr,
            "usage: %s TEST [QtTest's options] [FUNCTION[:ROW]]...\nwhere TEST is one of:\n",
            argv[0]);
        for (const auto& [name, run] : entries) {
            std::fprintf(stderr, "  %s\n", name.c_str());
        }
        return 2;
    }
    argv[1] = argv[0];
    return entry->second(argc - 1, argv + 1);
}
