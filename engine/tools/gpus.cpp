#include "tools/gpus.h"

#include <algorithm>
#include <cstdlib>
#include <thread>

#include <hearth/tools.h>

#include "base/child_process.h"
#include "base/guarded.h"
#include "hardware/gpu_probe_file.h"
#include "session/make_executors.h"

namespace hearth {
namespace {

constexpr std::size_t kAnswerBytes = std::size_t{1} << 20;  // drivers print things too

std::string seconds_text(std::chrono::milliseconds time) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time).count();
    return std::to_string(seconds) + (seconds == 1 ? " second" : " seconds");
}

GpuProbe failed(std::string reason) {
    GpuProbe probe;
    probe.verdict = GpuVerdict::Failed;
    probe.reason = std::move(reason);
    return probe;
}

GpuProbe verdict_of(const ChildOutcome& outcome, const GpuInfo& gpu, const GpuTrials& trials) {
    if (outcome.end == ChildOutcome::End::TimedOut) {
        return failed("it did not answer within " + seconds_text(trials.time_max) +
                      " when it was tried");
    }
    if (outcome.end == ChildOutcome::End::Crashed) {
        return failed("its driver crashed when it was tried (" + std::to_string(outcome.status) +
                      ")");
    }
    const auto probes = parse_gpu_probes(outcome.output, version());
    if (!probes || probes->size() != 1) {
        return failed("its trial ended without an answer (exit status " +
                      std::to_string(outcome.status) + ")");
    }
    if (probes->front().uuid != gpu.uuid) {
        GpuProbe unknown;
        unknown.reason = "it could not be tried: drivers list another device in its place";
        return unknown;
    }
    return probes->front();
}

}  // namespace

bool cpu_counts_as_gpu() {
    const char* value = std::getenv("HEARTH_GPU_ALLOW_CPU");
    return value != nullptr && std::string_view(value) == "1";
}

Result<KnownGpus> find_gpus(const std::string& cache_folder) {
    KnownGpus known;
    auto without = requested_gpu_restrictions();
    if (!without) {
        return std::move(without).error();
    }
    known.without = std::move(*without);
    auto gpus = list_gpus();
    if (!gpus) {
        known.none = gpus.error().message;
        return known;
    }
    known.gpus = std::move(*gpus);
    if (known.gpus.empty()) {
        known.none = "no Vulkan driver of this system lists a device";
    }
    const std::vector<GpuProbe> kept = read_gpu_probes(cache_folder, version());
    for (const GpuInfo& gpu : known.gpus) {
        const auto it = std::find_if(kept.begin(), kept.end(), [&](const GpuProbe& probe) {
            return is_of(probe, gpu, known.without);
        });
        known.probes.push_back(it == kept.end() ? GpuProbe() : *it);
    }
    return known;
}

GpuProbe try_gpu(const GpuInfo& gpu, const GpuTrials& trials) {
    GpuProbe probe;
    if (trials.program.empty()) {
        probe.reason = "it could not be tried: where this program lies is not known";
    } else if (const auto outcome =
                   run_child(trials.program, {"probe-gpu", std::to_string(gpu.index)},
                             trials.time_max, kAnswerBytes)) {
        probe = verdict_of(*outcome, gpu, trials);
    } else {
        probe.reason = "it could not be tried: " + outcome.error().message;
    }
    probe.uuid = gpu.uuid;
    return probe;
}

void try_and_keep(KnownGpus& known, std::size_t which, const GpuTrials& trials) {
    GpuProbe& probe = known.probes[which];
    probe = try_gpu(known.gpus[which], trials);
    probe.without = known.without;
    if (probe.verdict != GpuVerdict::Unprobed) {
        // What cannot be kept is tried again next time.
        [[maybe_unused]] const auto kept = keep_gpu_probe(trials.cache_folder, version(), probe);
    }
}

Result<GpuSelection> choose_gpu(KnownGpus& known, std::string_view wanted,
                                const GpuTrials& trials) {
    std::vector<bool> tried(known.gpus.size());
    while (true) {
        auto selection = select_gpu(known.gpus, known.probes, wanted, cpu_counts_as_gpu());
        if (!selection || selection->chosen < 0) {
            return selection;
        }
        const auto chosen = static_cast<std::size_t>(selection->chosen);
        if (known.probes[chosen].verdict != GpuVerdict::Unprobed || tried[chosen] ||
            trials.program.empty()) {
            return selection;
        }
        tried[chosen] = true;
        try_and_keep(known, chosen, trials);
    }
}

namespace tools {

std::string probe_gpu_here(int index) {
    // Whoever started this may be gone when a driver hangs.
    std::thread([] {
        std::this_thread::sleep_for(std::chrono::seconds(10));
        std::_Exit(EXIT_FAILURE);
    }).detach();
    const auto text = guarded({}, [&]() -> Result<std::string> {
        return format_gpu_probes({probe_gpu_device(index)}, version());
    });
    return text ? *text : std::string();
}

}  // namespace tools
}  // namespace hearth
