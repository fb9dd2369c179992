#include "session/gpus.h"

#include <algorithm>

#include <hearth/engine.h>

#include "base/child_process.h"
#include "hardware/driver_manifests.h"
#include "hardware/driver_state.h"
#include "hardware/gpu_probe_file.h"
#include "session/open_gpu.h"

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

GpuProbe verdict_of(const ChildOutcome& outcome, const GpuInfo& gpu, const GpuProbe& before,
                    std::chrono::milliseconds time_max) {
    if (outcome.end == ChildOutcome::End::TimedOut) {
        GpuProbe late =
            failed("it did not answer within " + seconds_text(time_max) + " when it was tried");
        late.timeouts = std::min(before.timeouts + 1, kTrialStarts);
        return late;
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

// Twice as much for every time it did not suffice.
std::chrono::milliseconds patience(const GpuTrials& trials, int timeouts) {
    const std::chrono::milliseconds requested = trials.environment.gpu_trial;
    return (requested.count() > 0 ? requested : trials.time_max) *
           (1 << std::clamp(timeouts, 0, kTrialStarts - 1));
}

GpuList no_gpus(std::string why) {
    GpuList list;
    list.none = std::move(why);
    return list;
}

GpuList list_of(const ChildOutcome& outcome, std::chrono::milliseconds time_max, int failures) {
    if (outcome.end == ChildOutcome::End::TimedOut) {
        GpuList late =
            no_gpus("the drivers did not list their devices within " + seconds_text(time_max));
        late.failures = std::min(failures + 1, kTrialStarts);
        return late;
    }
    if (outcome.end == ChildOutcome::End::Crashed) {
        GpuList crashed = no_gpus("a driver crashed when it was to list its devices (" +
                                  std::to_string(outcome.status) + ")");
        crashed.failures = std::min(failures + 1, kTrialStarts);
        return crashed;
    }
    auto list = parse_gpu_list(outcome.output);
    return list ? std::move(*list)
                : no_gpus("the drivers' devices could not be listed (exit status " +
                          std::to_string(outcome.status) + ")");
}

// For a child that shall open these drivers alone.
std::vector<std::string> only(const std::string& drivers) {
    if (drivers.empty()) {
        return {};
    }
    return {"VK_DRIVER_FILES=" + drivers, "VK_ICD_FILENAMES=" + drivers, "VK_ADD_DRIVER_FILES="};
}

// Asks each driver alone, then those together that answered. Empty: that helps nothing.
std::optional<GpuList> list_without_failing(const std::string& program,
                                            std::chrono::milliseconds time_max) {
    const auto ask = [&](const std::string& drivers) {
        return run_child(program, {"probe-gpu", "list"}, time_max, kAnswerBytes, only(drivers));
    };
    std::string good;
    std::string left_out;
    for (const std::string& manifest : driver_manifests()) {
        const auto outcome = ask(manifest);
        if (!outcome) {
            return std::nullopt;
        }
        if (outcome->end == ChildOutcome::End::Exited) {
            good += (good.empty() ? "" : ":") + manifest;
        } else {
            left_out += (left_out.empty() ? "the driver " : ", the driver ") + manifest +
                        (outcome->end == ChildOutcome::End::Crashed
                             ? " is left out: it crashed when it was to list its devices (" +
                                   std::to_string(outcome->status) + ")"
                             : " is left out: it did not list its devices within " +
                                   seconds_text(time_max));
        }
    }
    if (good.empty() || left_out.empty()) {
        return std::nullopt;
    }
    const auto outcome = ask(good);
    auto list = outcome && outcome->end == ChildOutcome::End::Exited
                    ? parse_gpu_list(outcome->output)
                    : std::nullopt;
    if (list) {
        list->drivers = std::move(good);
        list->left_out = std::move(left_out);
    }
    return list;
}

GpuList listed(const GpuTrials& trials, Listing listing) {
    if (trials.program.empty()) {
        return trials.drivers_here
                   ? ask_drivers(trials.environment)
                   : no_gpus(
                         "drivers are asked by another process, and where this program lies is not "
                         "known");
    }
    const std::string state = driver_state();
    const auto kept = read_gpu_list(trials.cache_folder, version(), state);
    int failures = 0;
    if (listing == Listing::Kept && kept) {
        failures = kept->failures;
        if (failures == 0 || failures >= kTrialStarts) {
            return *kept;
        }
    }
    const std::chrono::milliseconds time_max = patience(trials, failures);
    const auto outcome = run_child(trials.program, {"probe-gpu", "list"}, time_max, kAnswerBytes);
    if (!outcome) {
        return no_gpus("the drivers could not be asked: " + outcome.error().message);
    }
    GpuList list = list_of(*outcome, time_max, failures);
    if (outcome->end != ChildOutcome::End::Exited) {
        if (auto others = list_without_failing(trials.program, time_max)) {
            others->failures = list.failures;
            list = std::move(*others);
        }
    }
    // A program that ends without an answer says nothing of the drivers.
    if (outcome->end != ChildOutcome::End::Exited || parse_gpu_list(outcome->output)) {
        keep_gpu_list(trials.cache_folder, version(), state, list);
    }
    return list;
}

}  // namespace

GpuList ask_drivers(const Environment& environment) {
    auto gpus = list_gpus(environment);
    if (!gpus) {
        return no_gpus(gpus.error().message);
    }
    GpuList list;
    list.gpus = std::move(*gpus);
    if (list.gpus.empty()) {
        list.none = "no Vulkan driver of this system lists a device";
    }
    return list;
}

Result<KnownGpus> find_gpus(const GpuTrials& trials, Listing listing) {
    KnownGpus known;
    if (auto possible = check_gpu_restrictions(trials.environment); !possible) {
        return std::move(possible).error();
    }
    known.without = trials.environment.vulkan_without;
    GpuList list = listed(trials, listing);
    known.gpus = std::move(list.gpus);
    known.none = std::move(list.none);
    known.drivers = std::move(list.drivers);
    known.left_out = std::move(list.left_out);
    const std::vector<GpuProbe> kept = read_gpu_probes(trials.cache_folder, version());
    for (const GpuInfo& gpu : known.gpus) {
        const auto it = std::find_if(kept.begin(), kept.end(), [&](const GpuProbe& probe) {
            return is_of(probe, gpu, known.without);
        });
        known.probes.push_back(it == kept.end() ? GpuProbe() : *it);
    }
    return known;
}

GpuProbe try_gpu(const GpuInfo& gpu, const GpuTrials& trials, const GpuProbe& before) {
    GpuProbe probe;
    const std::chrono::milliseconds time_max = patience(trials, before.timeouts);
    if (trials.program.empty()) {
        probe.reason = "it could not be tried: where this program lies is not known";
    } else if (const auto outcome =
                   run_child(trials.program, {"probe-gpu", std::to_string(gpu.index)}, time_max,
                             kAnswerBytes, only(trials.environment.vulkan_drivers))) {
        probe = verdict_of(*outcome, gpu, before, time_max);
    } else {
        probe.reason = "it could not be tried: " + outcome.error().message;
    }
    probe.uuid = gpu.uuid;
    return probe;
}

void try_and_keep(KnownGpus& known, std::size_t which, const GpuTrials& trials) {
    GpuProbe& probe = known.probes[which];
    GpuTrials of_listed = trials;
    of_listed.environment.vulkan_drivers = known.drivers;
    probe = try_gpu(known.gpus[which], of_listed, probe);
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
        std::vector<GpuProbe> probes = known.probes;
        for (std::size_t i = 0; i < probes.size() && !trials.program.empty(); ++i) {
            if (may_try_again(probes[i]) && !tried[i]) {
                probes[i].verdict = GpuVerdict::Unprobed;
            }
        }
        auto selection =
            select_gpu(known.gpus, probes, wanted, trials.environment.cpu_counts_as_gpu);
        if (!selection || selection->chosen < 0) {
            return selection;
        }
        const auto chosen = static_cast<std::size_t>(selection->chosen);
        if (probes[chosen].verdict != GpuVerdict::Unprobed || tried[chosen] ||
            trials.program.empty()) {
            return selection;
        }
        tried[chosen] = true;
        try_and_keep(known, chosen, trials);
    }
}

}  // namespace hearth
