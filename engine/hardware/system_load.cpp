#include "hardware/system_load.h"

#include "hardware/process_time.h"

#if defined(__linux__)
#include <unistd.h>

#include "hardware/linux_system.h"
#endif

namespace hearth {

std::optional<ProcessorTimes> read_processor_times() {
#if defined(__linux__)
    const long per_second = sysconf(_SC_CLK_TCK);
    const auto ticks = linux_system::read_processor_ticks({});
    if (!ticks || per_second <= 0) {
        return std::nullopt;
    }
    const auto seconds = [per_second](std::uint64_t count) {
        return static_cast<double>(count) / static_cast<double>(per_second);
    };
    return ProcessorTimes{seconds(ticks->busy), seconds(ticks->busy + ticks->idle),
                          process_seconds()};
#else
    return std::nullopt;
#endif
}

}  // namespace hearth
