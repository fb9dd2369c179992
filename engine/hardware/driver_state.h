// The state that the list of GPUs depends on, found without opening a driver.
#pragma once

#include <string>

namespace hearth {

// Changes when the list of GPUs may have: other files that name drivers (their paths, sizes and
// times), another library cache, other device files or rights to them, environment variables that
// loader and drivers look at, a new start of the system. 32 hexadecimal digits; empty: this system
// does not say, and a list is not to be kept. `root` is "" for the running system or a folder that
// imitates one.
std::string driver_state(const std::string& root = {});

}  // namespace hearth
