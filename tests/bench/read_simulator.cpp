// read_simulator --tune TRACE --judge TRACE [--share 14,25,50] [--record-bytes 7168]
//                [--merge-gap-bytes 16384] [--all-known]
// How many reads a token's misses become where neurons lie in the file in different orders. Orders
// and caches come from the first trace, and what is printed is of the second. --record-bytes: of a
// neuron. --all-known: the layer's names are known before its reads begin, as a predictor has it.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "bench/read_simulation.h"

namespace {

using namespace hearth::bench;

Trace must_read(const std::string& path) {
    auto trace = read_trace(path);
    if (!trace) {
        std::fprintf(stderr, "read_simulator: %s\n", trace.error().message.c_str());
        std::exit(1);
    }
    return *std::move(trace);
}

}  // namespace

int main(int argc, char** argv) {
    std::string tune, judge;
    std::vector<double> percents{14, 25, 50};
    ReadRules rules;
    bool all_known = false;
    CLI::App app("Counts the reads of recorded demand.");
    app.add_option("--tune", tune, "the trace that orders and caches come from")->required();
    app.add_option("--judge", judge, "the trace whose reads count")->required();
    app.add_option("--share", percents, "of all items that the cache holds, in percent")
        ->delimiter(',')
        ->check(CLI::Range(0.1, 100.0))
        ->capture_default_str();
    app.add_option("--record-bytes", rules.record_bytes)
        ->check(CLI::Range(1U, 1U << 20))
        ->capture_default_str();
    app.add_option("--merge-gap-bytes", rules.merge_gap_bytes)->capture_default_str();
    app.add_flag("--all-known", all_known, "names before reads");
    CLI11_PARSE(app, argc, argv);
    const Trace tuning = must_read(tune);
    const Trace judged = must_read(judge);
    if (tuning.n_layer != judged.n_layer || tuning.n_items != judged.n_items) {
        std::fprintf(stderr, "read_simulator: %s and %s have different layers\n", tune.c_str(),
                     judge.c_str());
        return 1;
    }
    std::printf("| cache | order | misses | reads | MB |\n| --- | --- | --- | --- | --- |\n");
    for (const double percent : percents) {
        const auto n_slots = std::max<std::size_t>(
            1, static_cast<std::size_t>(percent / 100 * tuning.n_items + 0.5));
        for (std::uint8_t i = 0; i < static_cast<std::uint8_t>(FileOrder::kCount); ++i) {
            const auto which = static_cast<FileOrder>(i);
            const auto order = file_order(tuning, which, n_slots);
            const Reads seen = replay_reads(in_order(tuning, order), in_order(judged, order),
                                            n_slots, !all_known, rules);
            std::printf("| %g %% | %s | %.0f | %.0f | %.2f |\n", percent, to_string(which).data(),
                        seen.misses, seen.reads, seen.bytes / 1e6);
            std::fflush(stdout);
        }
    }
    return 0;
}
