// Runs the checks of sleep and prints them; exit status 1 if one failed.
#include "engine/base/sleep_checks.h"

int main() {
    return hearth::test::run_plain_checks(hearth::test::sleep_checks());
}
