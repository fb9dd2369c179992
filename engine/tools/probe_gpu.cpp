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
#include "session/make_executors.h"

namespace hearth::tools {
namespace {

// Whoever started this may be gone when a driver hangs.
void end_in_time() {
    std::thread([] {
        std::this_thread::sleep_for(std::chrono::seconds(30) + 4 * requested_trial_time());
        std::_Exit(EXIT_FAILURE);
    }).detach();
}

}  // namespace

std::string probe_gpu_here(int index) {
    end_in_time();
    const auto text = guarded({}, [&]() -> Result<std::string> {
        return format_gpu_probes({probe_gpu_device(index)}, version());
    });
    return text ? *text : std::string();
}

std::string list_gpus_here() {
    end_in_time();
    const auto text =
        guarded({}, [&]() -> Result<std::string> { return format_gpu_list(ask_drivers()); });
    return text ? *text : std::string();
}

}  // namespace hearth::tools
