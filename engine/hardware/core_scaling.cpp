#include "hardware/core_scaling.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>

#include "base/thread_pool.h"

namespace hearth {
namespace {

using Clock = std::chrono::steady_clock;

// A second thread of a core adds 0 to 10 % to arithmetic that keeps its units busy, the slowest
// kind of core in use today a third: anything between tells them apart.
constexpr double kGainMin = 1.15;

// Three rounds in turn, the best counts: what another process takes for a few milliseconds spoils
// one round of one count, not a count.
constexpr int kRounds = 3;
constexpr std::chrono::microseconds kRoundTime{2500};

// Sixteen registers' worth of independent sums, more than the units' latency times their number:
// one thread alone keeps a core's arithmetic full.
constexpr std::size_t kLanes = 64;

// About 150 us on one 4 GHz core with four floats a register, in as many tasks as a matrix gets.
constexpr int kUnitsPerStep = 1536;
constexpr int kIterationsPerUnit = 50;
constexpr int kTasksPerThread = 8;

float work(int units) {
    std::array<float, kLanes> sums{};
    for (int i = 0; i < units * kIterationsPerUnit; ++i) {
        for (float& sum : sums) {
            sum = sum * 0.75F + 0.25F;  // stays between 0 and 1: no number is slower than another
        }
    }
    float total = 0;
    for (const float sum : sums) {
        total += sum;
    }
    return total;
}

// Steps a second, over one round.
double run_round(ThreadPool& pool, std::atomic<float>& sink) {
    const int tasks = pool.n_threads() * kTasksPerThread;
    const Clock::time_point start = Clock::now();
    Clock::time_point now = start;
    int steps = 0;
    while (now - start < kRoundTime) {
        pool.run(tasks, [&](int task, int) {
            const auto share = [&](int index) { return kUnitsPerStep * index / tasks; };
            sink.store(work(share(task + 1) - share(task)), std::memory_order_relaxed);
        });
        ++steps;
        now = Clock::now();
    }
    return steps / std::chrono::duration<double>(now - start).count();
}

}  // namespace

std::vector<int> thread_candidates(const CpuFeatures& cpu) {
    // Topology that shows no second threads may hide them.
    const bool all_cores = cpu.physical_cores == cpu.logical_cores;
    std::vector<int> counts{cpu.performance_cores, cpu.physical_cores, cpu.logical_cores,
                            all_cores ? (cpu.logical_cores + 1) / 2 : cpu.physical_cores};
    for (int& count : counts) {
        count = std::clamp(count, 1, std::max(1, cpu.logical_cores));
    }
    std::sort(counts.begin(), counts.end());
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
    return counts;
}

int most_useful_threads(std::span<const ThreadSpeed> curve) {
    if (curve.empty()) {
        return 1;
    }
    ThreadSpeed taken = curve.front();
    for (const ThreadSpeed& point : curve.subspan(1)) {
        if (point.speed >= taken.speed * kGainMin) {
            taken = point;
        }
    }
    return taken.threads;
}

std::vector<ThreadSpeed> measure_thread_speeds(std::span<const int> candidates) {
    std::vector<std::unique_ptr<ThreadPool>> pools;
    for (const int threads : candidates) {
        auto pool = std::make_unique<ThreadPool>(threads);
        if (pool->n_threads() == threads) {
            pools.push_back(std::move(pool));
        }
    }
    std::vector<double> best(pools.size(), 0.0);
    std::atomic<float> sink{0};
    // The first round only warms up: threads start on one core, cores start slow.
    for (int round = 0; round <= kRounds; ++round) {
        for (std::size_t i = 0; i < pools.size(); ++i) {
            const double steps_per_s = run_round(*pools[i], sink);
            best[i] = round == 0 ? 0 : std::max(best[i], steps_per_s);
        }
    }
    std::vector<ThreadSpeed> speeds;
    for (std::size_t i = 0; i < pools.size(); ++i) {
        speeds.push_back({pools[i]->n_threads(), best[i] / best[0]});
    }
    return speeds;
}

int default_threads(const CpuFeatures& cpu, std::uint64_t weights_bytes) {
    const std::vector<int> candidates = thread_candidates(cpu);
    if (weights_bytes < kMeasuredWeightsBytes || candidates.size() == 1) {
        return cpu.performance_cores;
    }
    return most_useful_threads(measure_thread_speeds(candidates));
}

}  // namespace hearth
