// What the child process of a GPU's trial does; session/gpus.h starts it.
#include <chrono>
#include <cstdlib>
#include <thread>

#include <hearth/engine.h>
#include <hearth/tools.h>

#include "base/guarded.h"
#include "hardware/gpu_list.h"
#include "hardware/gpu_probe_file.h"
#include "session/gpus.h"
#include "session/open_gpu.h"

namespace hearth::tools {
namespace {

// Whoever started this may be gone when a driver hangs.
void end_in_time(const Environment& environment) {
    std::thread([time_max = std::chrono::seconds(60) + 4 * environment.gpu_trial] {
        std::this_thread::sleep_for(time_max);
        std::_Exit(EXIT_FAILURE);
    }).detach();
}

}  // namespace

std::string probe_gpu_here(int index) {
    const Environment environment = read_environment();
    end_in_time(environment);
    const auto text = guarded({}, [&]() -> Result<std::string> {
        return format_gpu_probes({probe_gpu(index, environment)}, version());
    });
    return text ? *text : std::string();
}

std::string list_gpus_here() {
    const Environment environment = read_environment();
    end_in_time(environment);
    const auto text = guarded(
        {}, [&]() -> Result<std::string> { return format_gpu_list(ask_drivers(environment)); });
    return text ? *text : std::string();
}

}  // namespace hearth::tools
