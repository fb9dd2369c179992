// Runs the checks of this program.
#include "support/plain_checks.h"

int main() {
    return hearth::test::run_plain_checks();
}
