// Which neurons live on the GPU: PowerInfer's placement problem (SOSP'24, section 6.3) and its
// answers. Neurons of a layer come in groups, hottest first; a layer gives the GPU its hottest
// groups, or none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hearth {

// A place where neurons can live and be computed. The paper calls it a unit.
struct MemoryUnit {
    std::uint64_t capacity_bytes = 0;
    double bandwidth_gb_per_s = 0;  // of reads, 1e9 bytes; 0: unknown
    double sync_us = 0;             // of a round trip, once per layer that the unit takes part in
    double step_us = 0;  // of a step that waits for the one before, beside its bytes; 0: unknown
};

struct FiringLayer {
    std::uint64_t group_bytes = 0;  // of every group, all the same
    int smallest_groups = 1;        // the GPU gets none or at least so many (C_l)
    // The value of each group on the GPU: expected firings per token. [groups], not ascending.
    std::vector<double> values{};

    int groups() const { return static_cast<int>(values.size()); }
};

// Preconditions: group_bytes > 0, smallest_groups >= 1, values finite and not negative.
struct FiringProblem {
    std::vector<FiringLayer> layers;
    std::uint64_t bytes_max = 0;  // room that the GPU has
    std::uint64_t bytes_min = 0;  // bytes that RAM has no room for, so the GPU must take them
};

// How many groups of each layer the GPU gets, the hottest first: [layers].
using FiringSplit = std::vector<int>;

std::uint64_t split_bytes(const FiringProblem& problem, const FiringSplit& split);
double split_value(const FiringProblem& problem, const FiringSplit& split);
// Whether the split keeps every constraint of the problem.
bool is_feasible(const FiringProblem& problem, const FiringSplit& split);

// C_l in neurons: the smallest C with C T_gpu + T_sync <= C T_cpu, T = bytes of a neuron /
// bandwidth. Empty: there is none, the GPU is no faster or a bandwidth is not known.
std::optional<std::uint64_t> smallest_worthwhile(std::uint64_t neuron_bytes, const MemoryUnit& cpu,
                                                 const MemoryUnit& gpu);

// Groups by value per byte until memory is full; then the layer of least value below its C_l goes,
// what it leaves is refilled from layers that have a share, and so on. Empty: what came out misses
// bytes_min.
std::optional<FiringSplit> greedy_split(const FiringProblem& problem);

// The integer program's answer, through COIN-OR CBC.
struct IntegerAnswer {
    std::optional<FiringSplit> split;  // empty: none found in time, or no solver
    bool optimal = false;              // proven
    std::string absent;                // why there is no solver; empty if it ran
};
struct IntegerLimits {
    double seconds = 2.0;
    int nodes = 100'000;  // of the branch and bound tree
};
// `start`: a feasible split to begin with, if there is one. Prints nothing.
IntegerAnswer integer_split(const FiringProblem& problem, const std::optional<FiringSplit>& start,
                            const IntegerLimits& limits = {});

// Greedy and integer program, and the better of the two.
struct FiringAnswer {
    std::optional<FiringSplit> split;  // empty: neither found one
    std::string_view chosen;           // "integer", "greedy", or "none"
    std::optional<double> greedy_value, integer_value;
    bool optimal = false;
    double ms = 0;       // both together
    std::string absent;  // why the integer program was left out
};
FiringAnswer split_by_firings(const FiringProblem& problem, const IntegerLimits& limits = {});

}  // namespace hearth
