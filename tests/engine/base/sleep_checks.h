// Threads that sleep and wake each other, without Qt: also run on Windows. A wake-up that is lost
// shows as a thread that sleeps for good, so whoever runs these sets a time limit.
#pragma once

#include <string>
#include <vector>

namespace hearth::test {

struct SleepCheck {
    std::string name;
    std::string (*run)();  // what was wrong, or nothing
};

std::vector<SleepCheck> sleep_checks();

}  // namespace hearth::test
