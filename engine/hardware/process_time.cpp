#include "hardware/process_time.h"

#ifdef _WIN32
#include <windows.h>
#else
#include <sys/resource.h>
#endif

namespace hearth {

#ifdef _WIN32

double process_seconds() {
    FILETIME created, ended, kernel, user;
    if (GetProcessTimes(GetCurrentProcess(), &created, &ended, &kernel, &user) == 0) {
        return 0;
    }
    const auto seconds = [](const FILETIME& time) {  // in units of 100 ns
        return (static_cast<double>(time.dwHighDateTime) * 4294967296.0 +
                static_cast<double>(time.dwLowDateTime)) /
               1e7;
    };
    return seconds(kernel) + seconds(user);
}

#else

double process_seconds() {
    rusage used{};
    if (getrusage(RUSAGE_SELF, &used) != 0) {
        return 0;
    }
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

#endif

}  // namespace hearth
