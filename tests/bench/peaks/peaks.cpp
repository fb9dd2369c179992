#include "bench/peaks/peaks.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <system_error>
#include <thread>
#include <vector>

namespace hearth::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRepetitions = 9;
constexpr double kSeconds = 0.02;

// Two operations a lane and chain.
constexpr double operations(int lanes, int chains) {
    return 2.0 * lanes * chains;
}

constexpr std::array kPeaks {
    Peak{"generic", "plain loop, int8",           PeakKind::Int8,
         0,         operations(kGenericLanes, 1), generic::int8_rounds},
        Peak{"generic",          "plain loop, f32", PeakKind::F32, 0, operations(kGenericLanes, 1),
             generic::f32_rounds},
#if defined(__x86_64__) || defined(_M_X64)
        Peak{"avx2",           "vpmaddubsw 256",        PeakKind::Int8,
             cpu_flags::kAvx2, operations(32, kChains), avx2::int8_rounds},
        Peak{"avx2",           "vfmadd 256",           PeakKind::F32,
             cpu_flags::kAvx2, operations(8, kChains), avx2::f32_rounds},
        Peak{"avxvnni",
             "vpdpbusd 256",
             PeakKind::Int8,
             cpu_flags::kAvx2 | cpu_flags::kAvxVnni,
             operations(32, kChains),
             avxvnni::int8_rounds},
        Peak{"avxvnni",
             "vfmadd 256",
             PeakKind::F32,
             cpu_flags::kAvx2 | cpu_flags::kAvxVnni,
             operations(8, kChains),
             avx2::f32_rounds},
        Peak{"avx512",
             "vpdpbusd 512",
             PeakKind::Int8,
             cpu_flags::kAvx512 | cpu_flags::kAvx512Vnni,
             operations(64, kChains),
             avx512::int8_rounds},
        Peak{"avx512",
             "vfmadd 512",
             PeakKind::F32,
             cpu_flags::kAvx512,
             operations(16, kChains),
             avx512::f32_rounds},
#elif defined(__aarch64__) || defined(_M_ARM64)
        Peak{"neon",
             "sdot",
             PeakKind::Int8,
             cpu_flags::kNeonDotprod,
             operations(16, kChains),
             neon::int8_rounds},
        Peak{
            "neon",          "fmla", PeakKind::F32, cpu_flags::kNeonDotprod, operations(4, kChains),
            neon::f32_rounds},
#endif
};
static_assert(kPeaks.size() <= kMostPeaks);

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// Rounds of about kSeconds on one thread.
std::uint64_t rounds_for(const Peak& peak, std::atomic<float>& sink) {
    std::uint64_t rounds = 1000;
    for (;;) {
        const auto start = Clock::now();
        sink = peak.run(rounds);
        const double seconds = seconds_since(start);
        if (seconds > kSeconds / 4) {
            return std::max<std::uint64_t>(
                1, static_cast<std::uint64_t>(static_cast<double>(rounds) * kSeconds / seconds));
        }
        rounds *= 2;
    }
}

}  // namespace

int available_peaks(std::uint32_t cpu_flags, const Peak** out) {
    int count = 0;
    for (const Peak& peak : kPeaks) {
        if ((peak.needs & cpu_flags) == peak.needs) {
            out[count++] = &peak;
        }
    }
    return count;
}

const Peak* find_peak(std::uint32_t cpu_flags, const char* table, PeakKind kind) {
    std::array<const Peak*, kMostPeaks> peaks{};
    const int count = available_peaks(cpu_flags, peaks.data());
    for (int i = 0; i < count; ++i) {
        const Peak* peak = peaks[static_cast<std::size_t>(i)];
        if (peak->kind == kind && std::strcmp(peak->table, table) == 0) {
            return peak;
        }
    }
    return nullptr;
}

PeakSpeed measure_peak(const Peak& peak, int threads) {
    std::atomic<float> sink{0};  // keeps the work from being removed
    const std::uint64_t rounds = rounds_for(peak, sink);
    // All threads begin together; the last to finish ends the time.
    std::vector<double> seconds;
    for (int repetition = 0; repetition < kRepetitions; ++repetition) {
        std::atomic<int> waiting{0};
        std::atomic<bool> go{false};
        const auto work = [&] {
            waiting.fetch_add(1);
            while (!go.load()) {
                std::this_thread::yield();
            }
            sink = peak.run(rounds);
        };
        std::vector<std::thread> others;
        others.reserve(static_cast<std::size_t>(std::max(0, threads - 1)));
        bool complete = true;
        for (int i = 1; i < threads && complete; ++i) {
            try {
                others.emplace_back(work);
            } catch (const std::system_error&) {
                complete = false;
            }
        }
        while (waiting.load() < static_cast<int>(others.size())) {
            std::this_thread::yield();
        }
        const auto start = Clock::now();
        go.store(true);
        sink = peak.run(rounds);
        for (std::thread& thread : others) {
            thread.join();
        }
        if (!complete) {
            return {};
        }
        seconds.push_back(seconds_since(start));
    }
    std::sort(seconds.begin(), seconds.end());
    const double done =
        peak.operations_per_round * static_cast<double>(rounds) * std::max(1, threads);
    return {done / seconds.front(), done / seconds[seconds.size() / 2]};
}

}  // namespace hearth::bench
