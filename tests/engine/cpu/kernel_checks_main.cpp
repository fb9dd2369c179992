// Runs the kernel checks and prints them: `kernel_checks [-v]`. Exit status 1 if one failed.
#include <cstdio>
#include <cstring>

#include "engine/cpu/kernel_checks.h"

int main(int argc, char** argv) {
    const bool verbose = argc > 1 && std::strcmp(argv[1], "-v") == 0;
    int failed = 0;
    int total = 0;
    for (const hearth::test::KernelCheck& check : hearth::test::kernel_checks()) {
        const hearth::test::CheckOutcome outcome = check.run();
        ++total;
        failed += outcome.passed ? 0 : 1;
        if (verbose || !outcome.passed) {
            std::printf("%-4s %-40s %s\n", outcome.passed ? "ok" : "FAIL", check.name.c_str(),
                        outcome.detail.c_str());
        }
    }
    std::printf("%d kernel checks, %d failed\n", total, failed);
    return failed == 0 ? 0 : 1;
}
