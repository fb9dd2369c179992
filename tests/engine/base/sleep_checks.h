// Threads that sleep and wake each other, without Qt: also run on Windows. A wake-up that is lost
// shows as a thread that sleeps for good, so whoever runs these sets a time limit.
#pragma once

#include <vector>

#include "support/plain_checks.h"

namespace hearth::test {

std::vector<PlainCheck> sleep_checks();

}  // namespace hearth::test
