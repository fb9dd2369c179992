// Runs the checks of sleep and prints them; exit status 1 if one failed.
#include <cstdio>

#include "engine/base/sleep_checks.h"

int main() {
    int failed = 0;
    for (const hearth::test::SleepCheck& check : hearth::test::sleep_checks()) {
        const std::string wrong = check.run();
        std::printf("%-4s %s %s\n", wrong.empty() ? "ok" : "FAIL", check.name.c_str(),
                    wrong.c_str());
        std::fflush(stdout);
        failed += wrong.empty() ? 0 : 1;
    }
    return failed == 0 ? 0 : 1;
}
