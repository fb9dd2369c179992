// How long PowerInfer's placement of a model's neurons takes and what comes out, greedy and by the
// integer program, for published shapes on a described machine. Activity is planted as measured
// for LLaMA2-70B-ReGLU (PowerInfer, SOSP'24, figure 5: 26 % of the neurons give 80 % of the
// activations; 90 % of a block's neurons silent for a token), its steepness varied by layer.
//
// placement_bench [GB/s of RAM] [GB/s of the GPU] [microseconds a synchronisation]
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "plan/firing_split.h"
#include "plan/split_choice.h"

namespace {

using namespace hearth;

struct Shape {
    const char* name;
    int n_layer;
    int n_ff;
    std::uint64_t row_bytes;  // Q4_0
};

// Rates peak * exp(-k x) over x in [0, 1): k = 6.1 puts 80 % of the sum into the first 26 %.
TokenCosts planted(const Shape& shape) {
    std::mt19937 random(7);
    TokenCosts costs;
    costs.mode = FeedForwardMode::Exact;
    costs.activation = Activation::ReluGated;
    costs.bytes.layers.assign(static_cast<std::size_t>(shape.n_layer),
                              {.neuron = {shape.row_bytes, shape.row_bytes, shape.row_bytes}});
    costs.heat.measured = true;
    for (int l = 0; l < shape.n_layer; ++l) {
        const double steepness = 4.1 + 4.0 * static_cast<double>(random() % 1000) / 1000;
        const double mean = 0.05 + 0.1 * static_cast<double>(random() % 1000) / 1000;
        const double peak = mean * steepness / (1 - std::exp(-steepness));
        LayerHeat heat;
        for (int n = 0; n < shape.n_ff; ++n) {
            const double counted = std::round(1e6 * peak * std::exp(-steepness * n / shape.n_ff));
            heat.rates.push_back(std::min(1.0, counted / 1e6));
        }
        costs.heat.layers.push_back(std::move(heat));
    }
    return costs;
}

double ms_since(std::chrono::steady_clock::time_point start) {
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    return took.count();
}

}  // namespace

int main(int argc, char** argv) {
    const auto argument = [&](int i, double otherwise) {
        return argc > i ? std::strtod(argv[i], nullptr) : otherwise;
    };
    Speeds speeds;
    speeds.ram.bandwidth_gb_per_s = argument(1, 60);
    speeds.vram.bandwidth_gb_per_s = argument(2, 600);
    speeds.vram.sync_us = argument(3, 30);
    std::printf("RAM %.0f GB/s, GPU %.0f GB/s, %.0f us\n", speeds.ram.bandwidth_gb_per_s,
                speeds.vram.bandwidth_gb_per_s, speeds.vram.sync_us);
    std::printf("%-22s %5s %5s %12s %12s %7s %9s %8s %9s\n", "shape", "VRAM", "C_l", "greedy",
                "integer", "proven", "chosen", "place ms", "all ms");
    constexpr Shape kShapes[] = {{"7B  32 x 11008", 32, 11008, 2304},
                                 {"13B 40 x 13824", 40, 13824, 2880},
                                 {"70B 80 x 28672", 80, 28672, 4608}};
    for (const Shape& shape : kShapes) {
        const TokenCosts costs = planted(shape);
        const std::uint64_t neuron = 3 * shape.row_bytes;
        const std::uint64_t all = neuron * static_cast<std::uint64_t>(shape.n_layer) *
                                  static_cast<std::uint64_t>(shape.n_ff);
        const auto smallest = smallest_worthwhile(neuron, speeds.ram, speeds.vram);
        const MemoryCosts memory{.weights_bytes = [all](const Placement&) { return all; },
                                 .kv_bytes = [](int, const Placement&) { return std::uint64_t{0}; },
                                 .scratch_bytes = [](int, int) { return std::uint64_t{0}; },
                                 .gpu = assumed_gpu_costs(costs)};
        for (const int percent : {1, 2, 5, 10, 25, 50}) {
            const auto start = std::chrono::steady_clock::now();
            const std::uint64_t room = all / 100 * static_cast<unsigned>(percent);
            const auto choice = choose_split({costs, memory, speeds, 1, 1, 1, 2 * all, room,
                                              SplitPolicy::Auto, SplitSolver::Paper});
            if (!choice) {
                continue;
            }
            const double ms = ms_since(start);
            std::printf("%-22s %3d %% %5llu %12.3f %12.3f %7s %9s %8.0f %9.0f\n", shape.name,
                        percent, static_cast<unsigned long long>(smallest.value_or(0)),
                        choice->solver.greedy_value.value_or(-1),
                        choice->solver.integer_value.value_or(-1),
                        choice->solver.optimal ? "yes" : "no", choice->solver.chosen.c_str(),
                        choice->solver.ms, ms);
        }
    }
    return 0;
}
