#include "plan/gpu_share.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>

#include "plan/best_split.h"

namespace hearth {
namespace {

constexpr int kGroupNeurons = 64;
constexpr int kBlockNeurons = 32;

// The same groups twice: as the paper values them, and by the seconds they save.
struct Problems {
    PlacementProblem firings;
    PlacementProblem seconds;
};

double seconds_saved(double bytes, const Speeds& speeds) {
    return bytes / (speeds.ram.bandwidth_gb_per_s * 1e9) -
           bytes / (speeds.vram.bandwidth_gb_per_s * 1e9);
}

Problems make_problems(const TokenCosts& costs, const Speeds& speeds, std::uint64_t bytes_max,
                       std::uint64_t bytes_min) {
    Problems problems;
    for (std::size_t l = 0; l < costs.heat.layers.size(); ++l) {
        const std::vector<double>& rates = costs.heat.layers[l].rates;
        const NeuronBytes& neuron = costs.bytes.layers[l].neuron;
        const auto width = static_cast<std::size_t>(group_neurons(static_cast<int>(rates.size())));
        PlacementLayer firings;
        firings.group_bytes = std::max<std::uint64_t>(1, neuron.total()) * width;
        const auto smallest = smallest_worthwhile(neuron.total(), speeds.ram, speeds.vram);
        const std::uint64_t groups =
            smallest ? (*smallest + width - 1) / width : std::numeric_limits<int>::max();
        firings.smallest_groups =
            static_cast<int>(std::min<std::uint64_t>(groups, std::numeric_limits<int>::max()));
        PlacementLayer seconds = firings;
        seconds.opening_cost = speeds.vram.sync_us * 1e-6;
        for (std::size_t first = 0; first + width <= rates.size() && smallest; first += width) {
            double sum = 0;
            double bytes = 0;
            for (std::size_t n = first; n < first + width; ++n) {
                sum += rates[n];
                bytes += expected_bytes(costs, neuron, rates[n]);
            }
            firings.values.push_back(sum);
            seconds.values.push_back(seconds_saved(bytes, speeds));
        }
        problems.firings.layers.push_back(std::move(firings));
        problems.seconds.layers.push_back(std::move(seconds));
    }
    for (PlacementProblem* problem : {&problems.firings, &problems.seconds}) {
        problem->bytes_max = bytes_max;
        problem->bytes_min = bytes_min;
    }
    return problems;
}

double seconds_of(const PlacementProblem& problem, const Split& split) {
    double seconds = split_value(problem, split);
    for (std::size_t l = 0; l < split.size(); ++l) {
        seconds -= split[l] > 0 ? problem.layers[l].opening_cost : 0;
    }
    return seconds;
}

}  // namespace

int group_neurons(int n_ff) {
    return n_ff % kGroupNeurons != 0 && n_ff % kBlockNeurons == 0 ? kBlockNeurons : kGroupNeurons;
}

std::optional<GpuShare> gpu_share(const TokenCosts& costs, const Speeds& speeds,
                                  std::uint64_t bytes_max, std::uint64_t bytes_min) {
    const Problems problems = make_problems(costs, speeds, bytes_max, bytes_min);
    const std::optional<BestSplit> best = best_split(problems.seconds);
    if (!best) {
        return std::nullopt;
    }
    const Placement placement = place(problems.firings);
    GpuShare share;
    share.solver.integer_value = placement.integer_value;
    share.solver.greedy_value = placement.greedy_value;
    share.solver.optimal = placement.optimal;
    share.solver.ms = placement.ms;

    // The rounding of two sums; anything more would be a forecast that more budget makes slower.
    constexpr double kRounding = 1e-12;
    const double most = seconds_of(problems.seconds, best->split);
    const bool as_good =
        placement.split && best->exact &&
        seconds_of(problems.seconds, *placement.split) >= most - kRounding * std::abs(most);
    const Split& split = as_good ? *placement.split : best->split;
    share.solver.chosen = as_good ? std::string(placement.chosen) : "forecast";
    share.bytes = split_bytes(problems.firings, split);
    for (std::size_t l = 0; l < split.size(); ++l) {
        const int width = group_neurons(static_cast<int>(costs.heat.layers[l].rates.size()));
        share.hot.push_back(split[l] * width);
    }

    if (!placement.absent.empty()) {
        share.reasons.push_back(placement.absent + ": the placement is greedy");
    } else if (!placement.integer_value) {
        share.reasons.push_back("the integer program found no placement in its time");
    } else if (!placement.optimal) {
        share.reasons.push_back(
            "the integer program stopped at its limit of time or nodes before "
            "its answer was proven to be the best");
    }
    if (!as_good) {
        std::string by;
        if (placement.split) {
            const double us = (most - seconds_of(problems.seconds, *placement.split)) * 1e6;
            std::array<char, 32> text{};
            std::snprintf(text.data(), text.size(), " by %.3g us a token", us);
            by = text.data();
        }
        share.reasons.push_back(
            "the placement is neither the greedy nor the integer program's: those count firings, "
            "and by the forecast, which also counts rows read for every neuron and what each "
            "layer's synchronisation costs, another is faster" +
            by);
    }
    if (share.bytes == 0) {
        share.solver.chosen = "none";
        share.reasons.push_back(
            "the GPU gets no neurons: no share that fits its budget would "
            "save more than synchronising costs");
    }
    return share;
}

}  // namespace hearth
