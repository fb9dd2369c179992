// Runs the checks of this program and prints them; exit status 1 if one failed or there is none.
#include <cstdio>

#include "support/plain_checks.h"

int main() {
    bool all = !hearth::test::plain_checks().empty();
    for (const hearth::test::PlainCheck& check : hearth::test::plain_checks()) {
        const std::string wrong = check.run();
        std::printf("%-4s %s %s\n", wrong.empty() ? "ok" : "FAIL", check.name.c_str(),
                    wrong.c_str());
        std::fflush(stdout);
        all = all && wrong.empty();
    }
    return all ? 0 : 1;
}
