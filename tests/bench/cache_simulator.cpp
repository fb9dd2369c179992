// cache_simulator --tune TRACE --judge TRACE [--share 8,14,25,50]
//                 [--slots equal|frequency|window [--profile TRACE]]
//                 [--reads-per-second N --seconds-in-ram S [--cpu-us-per-read U] [--cores 2]
//                  [--streamed-bytes B --bytes-per-second N]]
// cache_simulator --tune TRACE --judge TRACE --cache REPORT --in-ram REPORT --disk-gb-per-s N
// Policies of a cache of neurons or experts, and how often they would miss. They learn from the
// first trace, and what is printed is of the second. --share: of all items, in percent. --slots:
// how layers share them (cache_simulation.h), by --profile, or by the first trace. With
// --reads-per-second it also prints the bound: tokens a second that no engine exceeds where the
// most frequent items stay in RAM (--streamed-bytes: what every token reads besides). With --cache,
// record_experts' report of a run of a mixture larger than RAM, it replays the slots of that run,
// and prints the bound of a perfect overlap: the slower of the disk, which reads what is missed,
// and of computing, as the report of a run with all in memory has it (cache_bound.h).
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "bench/cache_bound.h"
#include "bench/cache_report.h"
#include "bench/cache_simulation.h"

namespace {

using namespace hearth;
using namespace hearth::bench;

// The value, or the end of the program.
template <class T>
T must(Result<T> result) {
    if (!result) {
        std::fprintf(stderr, "cache_simulator: %s\n", result.error().message.c_str());
        std::exit(1);
    }
    return *std::move(result);
}

CacheReport must_read_report(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    if (!stream) {
        std::fprintf(stderr, "cache_simulator: %s cannot be read\n", path.c_str());
        std::exit(1);
    }
    const std::string json{std::istreambuf_iterator<char>(stream), {}};
    return must(parse_cache_report(json, path));
}

void describe(const char* use, const Trace& trace) {
    std::size_t most = 0;
    for (const auto& set : trace.sets) {
        most = std::max(most, set.size());
    }
    std::printf(
        "%s: %u layers of %u, %zu tokens, distinct %.3f of them; a token asks for %.1f %% "
        "of a layer (at most %.1f %%), neighbours share %.2f, and keep %.1f %%\n",
        use, trace.n_layer, trace.n_items, trace.n_tokens(), distinct_ratio(trace),
        100 * density(trace),
        100.0 * static_cast<double>(most) / static_cast<double>(trace.n_items), jaccard(trace),
        100 * kept_share(trace));
}

}  // namespace

int main(int argc, char** argv) {
    std::string tune, judge;
    std::vector<double> percents{8, 14, 25, 50};
    std::string slots_by = "equal";
    std::string profile;
    BoundInputs machine;
    machine.cores = 2;
    CLI::App app("Replays recorded demand through caches.");
    app.add_option("--tune", tune, "the trace that policies learn from")->required();
    app.add_option("--judge", judge, "the trace whose misses count")->required();
    app.add_option("--share", percents, "of all items that the cache holds, in percent")
        ->delimiter(',')
        ->check(CLI::Range(0.0, 100.0))
        ->capture_default_str();
    app.add_option("--slots", slots_by, "how layers share them: equally, or by a trace")
        ->check(CLI::IsMember({"equal", "frequency", "window"}));
    app.add_option("--profile", profile, "that trace, if not the first one");
    auto* reads =
        app.add_option("--reads-per-second", machine.reads_per_second)->check(CLI::PositiveNumber);
    app.add_option("--seconds-in-ram", machine.seconds_in_ram, "a token's, the whole model in RAM")
        ->check(CLI::NonNegativeNumber)
        ->needs(reads);
    app.add_option("--cpu-us-per-read", machine.cpu_us_per_read, "processor time")
        ->check(CLI::NonNegativeNumber)
        ->needs(reads);
    app.add_option("--cores", machine.cores)->check(CLI::PositiveNumber)->capture_default_str();
    app.add_option("--streamed-bytes", machine.streamed_bytes, "that every token reads besides")
        ->check(CLI::NonNegativeNumber)
        ->needs(reads);
    app.add_option("--bytes-per-second", machine.bytes_per_second, "at which those stream")
        ->check(CLI::PositiveNumber);
    std::string cache, in_ram;
    CacheBoundInputs overlap;
    auto* run = app.add_option("--cache", cache, "report of a run whose slots are replayed");
    app.add_option("--in-ram", in_ram, "report of a run with all in memory")->needs(run);
    app.add_option("--disk-gb-per-s", overlap.disk_bytes_per_second, "measured")
        ->needs(run)
        ->check(CLI::PositiveNumber);
    CLI11_PARSE(app, argc, argv);
    if (!cache.empty() && (in_ram.empty() || overlap.disk_bytes_per_second <= 0)) {
        std::fprintf(stderr, "cache_simulator: --cache wants --in-ram and --disk-gb-per-s\n");
        return 2;
    }

    const Trace tuning = must(read_trace(tune));
    const Trace judged = must(read_trace(judge));
    if (tuning.n_layer != judged.n_layer || tuning.n_items != judged.n_items) {
        std::fprintf(stderr, "cache_simulator: %s has %u layers of %u, %s has %u of %u\n",
                     tune.c_str(), tuning.n_layer, tuning.n_items, judge.c_str(), judged.n_layer,
                     judged.n_items);
        return 1;
    }
    if (!cache.empty()) {
        const CacheReport report = must_read_report(cache);
        const double per_second = must_read_report(in_ram).tokens_per_second;
        if (per_second <= 0) {
            std::fprintf(stderr, "cache_simulator: %s measured no token\n", in_ram.c_str());
            return 1;
        }
        overlap.disk_bytes_per_second *= 1e9;
        overlap.seconds_in_ram = 1 / per_second;
        describe("tune ", tuning);
        describe("judge", judged);
        std::printf("%s", cache_bound_table(must(asked_of_slots(tuning, report)),
                                            must(asked_of_slots(judged, report)), report, overlap)
                              .c_str());
        return 0;
    }
    const Trace profiled = profile.empty() ? tuning : must(read_trace(profile));
    if (profiled.n_layer != tuning.n_layer || profiled.n_items != tuning.n_items) {
        std::fprintf(stderr, "cache_simulator: %s has %u layers of %u, not %u of %u\n",
                     profile.c_str(), profiled.n_layer, profiled.n_items, tuning.n_layer,
                     tuning.n_items);
        return 1;
    }
    const SlotShares shares = slots_by == "equal"       ? SlotShares::Equal
                              : slots_by == "frequency" ? SlotShares::ByFrequency
                                                        : SlotShares::ByWindow;
    describe("tune ", tuning);
    describe("judge", judged);
    for (const double percent : percents) {
        const auto slots = layer_slots(profiled, percent / 100, shares);
        std::printf("\ncache %g %% (%zu to %zu slots a layer)\n", percent,
                    *std::min_element(slots.begin(), slots.end()),
                    *std::max_element(slots.begin(), slots.end()));
        std::printf("| policy | misses a token | hits | P50 | P90 | P99 |\n");
        std::printf("| --- | --- | --- | --- | --- | --- |\n");
        double pinned_misses = 0;
        for (std::uint8_t i = 0; i < static_cast<std::uint8_t>(CachePolicy::kCount); ++i) {
            const auto policy = static_cast<CachePolicy>(i);
            const Replay seen = replay(policy, tuning, judged, slots);
            std::printf("| %s | %.1f | %.1f %% | %zu | %zu | %zu |\n", to_string(policy).data(),
                        seen.per_token(), 100 * seen.hit_rate(), seen.percentile(50),
                        seen.percentile(90), seen.percentile(99));
            if (policy == CachePolicy::Static) {
                pinned_misses = seen.per_token();
            }
        }
        if (reads->count() > 0) {
            std::printf("bound: %.2f tokens/s\n", bound(pinned_misses, machine));
        }
    }
    return 0;
}
