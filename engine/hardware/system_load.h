// How busy the processors of this machine are, and with whose work.
#pragma once

#include <optional>

namespace hearth {

// Since some moment in the past, summed over all logical processors, seconds.
struct ProcessorTimes {
    double busy_s = 0;   // with anything, also what a host took from a virtual machine
    double total_s = 0;  // busy or idle
    double own_s = 0;    // with this process, of busy_s
};

// Empty: the system does not say (only Linux does).
std::optional<ProcessorTimes> read_processor_times();

}  // namespace hearth
