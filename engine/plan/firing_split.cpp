#include "plan/firing_split.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <tuple>
#include <utility>

namespace hearth {
namespace {

struct RankedGroup {
    double density;  // value per byte
    int layer;
    int group;
};

// Sorts groups by value per byte, the highest first. Of equals the group of the earlier layer comes
// first. Groups of a layer always keep their order.
std::vector<RankedGroup> by_density(const FiringProblem& problem) {
    std::vector<RankedGroup> all;
    for (std::size_t l = 0; l < problem.layers.size(); ++l) {
        const FiringLayer& layer = problem.layers[l];
        for (int g = 0; layer.smallest_groups <= layer.groups() && g < layer.groups(); ++g) {
            const double value = layer.values[static_cast<std::size_t>(g)];
            all.push_back({value / static_cast<double>(layer.group_bytes), static_cast<int>(l), g});
        }
    }
    std::sort(all.begin(), all.end(), [](const RankedGroup& a, const RankedGroup& b) {
        return std::tuple(-a.density, a.layer, a.group) < std::tuple(-b.density, b.layer, b.group);
    });
    return all;
}

// Takes the groups that still fit, of layers that are not closed, each layer's in their order.
void fill(const FiringProblem& problem, const std::vector<RankedGroup>& candidates,
          const std::vector<bool>& closed, FiringSplit& split) {
    std::uint64_t left = problem.bytes_max - split_bytes(problem, split);
    for (const RankedGroup& candidate : candidates) {
        const auto l = static_cast<std::size_t>(candidate.layer);
        const std::uint64_t bytes = problem.layers[l].group_bytes;
        if (!closed[l] && candidate.group == split[l] && bytes <= left) {
            ++split[l];
            left -= bytes;
        }
    }
}

double layer_value(const FiringLayer& layer, int groups) {
    double sum = 0;
    for (int g = 0; g < groups; ++g) {
        sum += layer.values[static_cast<std::size_t>(g)];
    }
    return sum;
}

}  // namespace

std::uint64_t split_bytes(const FiringProblem& problem, const FiringSplit& split) {
    std::uint64_t bytes = 0;
    for (std::size_t l = 0; l < problem.layers.size(); ++l) {
        bytes += problem.layers[l].group_bytes * static_cast<std::uint64_t>(split[l]);
    }
    return bytes;
}

double split_value(const FiringProblem& problem, const FiringSplit& split) {
    double value = 0;
    for (std::size_t l = 0; l < problem.layers.size(); ++l) {
        value += layer_value(problem.layers[l], split[l]);
    }
    return value;
}

bool is_feasible(const FiringProblem& problem, const FiringSplit& split) {
    if (split.size() != problem.layers.size()) {
        return false;
    }
    for (std::size_t l = 0; l < problem.layers.size(); ++l) {
        const FiringLayer& layer = problem.layers[l];
        if (split[l] != 0 && (split[l] < layer.smallest_groups || split[l] > layer.groups())) {
            return false;
        }
    }
    const std::uint64_t bytes = split_bytes(problem, split);
    return bytes >= problem.bytes_min && bytes <= problem.bytes_max;
}

std::optional<std::uint64_t> smallest_worthwhile(std::uint64_t neuron_bytes, const MemoryUnit& cpu,
                                                 const MemoryUnit& gpu) {
    const auto usable = [](double number) { return std::isfinite(number) && number > 0; };
    if (neuron_bytes == 0 || !usable(cpu.bandwidth_gb_per_s) || !usable(gpu.bandwidth_gb_per_s) ||
        !std::isfinite(gpu.sync_us) || gpu.sync_us < 0) {
        return std::nullopt;
    }
    // Times are in microseconds. 1 GB/s is 1000 bytes a microsecond.
    const auto bytes = static_cast<double>(neuron_bytes);
    const double gain_us = bytes / (cpu.bandwidth_gb_per_s * 1e3) -  //
                           bytes / (gpu.bandwidth_gb_per_s * 1e3);
    if (!(gain_us > 0)) {
        return std::nullopt;
    }
    const double count = std::ceil(gpu.sync_us / gain_us);
    if (!(count < 1e15)) {
        return std::nullopt;
    }
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(count));
}

std::optional<FiringSplit> greedy_split(const FiringProblem& problem) {
    const std::vector<RankedGroup> candidates = by_density(problem);
    std::vector<bool> closed(problem.layers.size(), false);
    FiringSplit split(problem.layers.size(), 0);
    fill(problem, candidates, closed, split);
    for (;;) {
        std::size_t weakest = problem.layers.size();
        double least = 0;
        for (std::size_t l = 0; l < problem.layers.size(); ++l) {
            if (split[l] == 0 || split[l] >= problem.layers[l].smallest_groups) {
                continue;
            }
            const double value = layer_value(problem.layers[l], split[l]);
            if (weakest == problem.layers.size() || value < least) {
                weakest = l;
                least = value;
            }
        }
        if (weakest == problem.layers.size()) {
            break;
        }
        split[weakest] = 0;
        for (std::size_t l = 0; l < problem.layers.size(); ++l) {
            closed[l] = split[l] == 0;
        }
        fill(problem, candidates, closed, split);
    }
    if (!is_feasible(problem, split)) {
        return std::nullopt;
    }
    return split;
}

FiringAnswer split_by_firings(const FiringProblem& problem, const IntegerLimits& limits) {
    const auto start = std::chrono::steady_clock::now();
    FiringAnswer placement;
    placement.chosen = "none";
    if (std::optional<FiringSplit> greedy = greedy_split(problem)) {
        placement.greedy_value = split_value(problem, *greedy);
        placement.split = std::move(greedy);
        placement.chosen = "greedy";
    }
    IntegerAnswer integer = integer_split(problem, placement.split, limits);
    placement.absent = std::move(integer.absent);
    if (integer.split) {
        placement.integer_value = split_value(problem, *integer.split);
        placement.optimal = integer.optimal;
        // The integer program's answer wins among equal values, since it may be proven.
        if (!placement.greedy_value || *placement.integer_value >= *placement.greedy_value) {
            placement.split = std::move(integer.split);
            placement.chosen = "integer";
        }
    }
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    placement.ms = took.count();
    return placement;
}

}  // namespace hearth
