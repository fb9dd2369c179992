// Runs the kernel checks and prints them: `kernel_checks [-v] [TABLE]`. Exit status 1 if one
// failed, or if this processor runs too few of the table named, which then is checked alone.
#include <cstdio>
#include <cstring>
#include <string>

#include "engine/cpu/kernel_checks.h"

namespace {

// Fewer would mean that the checks of a table have been lost.
constexpr int kFewest = 50;

}  // namespace

int main(int argc, char** argv) {
    bool verbose = false;
    std::string table;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "-v") == 0) {
            verbose = true;
        } else {
            table = argv[i];
        }
    }
    int failed = 0;
    int total = 0;
    for (const hearth::test::KernelCheck& check : hearth::test::kernel_checks()) {
        if (!table.empty() && check.name.rfind(table + "/", 0) != 0) {
            continue;
        }
        const hearth::test::CheckOutcome outcome = check.run();
        ++total;
        failed += outcome.passed ? 0 : 1;
        if (verbose || !outcome.passed) {
            std::printf("%-4s %-40s %s\n", outcome.passed ? "ok" : "FAIL", check.name.c_str(),
                        outcome.detail.c_str());
        }
    }
    std::printf("%d kernel checks%s%s, %d failed\n", total, table.empty() ? "" : " of ",
                table.c_str(), failed);
    if (total <= kFewest) {
        std::printf("FAIL more than %d checks were expected\n", kFewest);
        return 1;
    }
    return failed == 0 ? 0 : 1;
}
