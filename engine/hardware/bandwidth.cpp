#include "hardware/bandwidth.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <exception>
#include <latch>
#include <span>
#include <thread>
#include <vector>

#include "base/aligned_buffer.h"

namespace hearth {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kBufferBytes = std::uint64_t{256} << 20;
constexpr double kSeconds = 0.25;
constexpr int kPassesMin = 3;
constexpr int kPassesMax = 64;
constexpr int kThreadsMax = 256;

// One word of each cache line: memory has to bring the whole line, and the loop is not what one
// waits for. Adding up every word is, unless the compiler makes wide registers of it: 23 GB/s on a
// core that gets 42. Four sums, since one would be a chain of additions.
std::uint64_t read_all(std::span<const std::uint64_t> words) {
    constexpr std::size_t kLineWords = 64 / sizeof(std::uint64_t);
    std::uint64_t sums[4] = {};
    for (std::size_t i = 0; i + 4 * kLineWords <= words.size(); i += 4 * kLineWords) {
        sums[0] += words[i];
        sums[1] += words[i + kLineWords];
        sums[2] += words[i + 2 * kLineWords];
        sums[3] += words[i + 3 * kLineWords];
    }
    return sums[0] + sums[1] + sums[2] + sums[3];
}

// All passes of one thread over its part. Passes start together: `arrived` counts the threads that
// finished a pass, and thread 0 opens the next one and takes the time.
struct Measurement {
    explicit Measurement(int threads) : thread_count(threads), ready(threads) {}

    int thread_count;
    std::latch ready;  // every thread has written its part: pages exist, on its own NUMA node
    std::atomic<int> arrived{0};
    std::atomic<int> pass{0};
    std::atomic<bool> done{false};
    std::atomic<std::uint64_t> sink{0};  // keeps the reads from being optimised away
    std::vector<double> seconds;         // thread 0's

    void run(int index, std::span<std::uint64_t> part) {
        std::memset(part.data(), index + 1, part.size_bytes());
        ready.arrive_and_wait();
        const Clock::time_point begin = Clock::now();
        for (int number = 0; !done.load(std::memory_order_acquire); ++number) {
            const Clock::time_point start = Clock::now();
            sink.fetch_add(read_all(part), std::memory_order_relaxed);
            arrived.fetch_add(1, std::memory_order_acq_rel);
            if (index != 0) {
                while (pass.load(std::memory_order_acquire) == number) {
                    std::this_thread::yield();
                }
                continue;
            }
            while (arrived.load(std::memory_order_acquire) < thread_count * (number + 1)) {
                std::this_thread::yield();
            }
            const Clock::time_point end = Clock::now();
            seconds.push_back(std::chrono::duration<double>(end - start).count());
            const bool long_enough = std::chrono::duration<double>(end - begin).count() >= kSeconds;
            if ((number + 1 >= kPassesMin && long_enough) || number + 1 >= kPassesMax) {
                done.store(true, std::memory_order_release);
            }
            pass.store(number + 1, std::memory_order_release);
        }
    }
};

}  // namespace

double measure_ram_read_gb_per_s(int threads) {
    const int count = std::clamp(threads, 1, kThreadsMax);
    Result<AlignedBuffer> buffer = AlignedBuffer::create(kBufferBytes, "bandwidth measurement");
    if (!buffer) {
        return 0;
    }
    const std::span<std::uint64_t> words =
        buffer->span<std::uint64_t>(0, kBufferBytes / sizeof(std::uint64_t));
    const std::size_t words_per_thread = words.size() / static_cast<std::size_t>(count) / 32 * 32;
    Measurement measurement(count);
    measurement.seconds.reserve(kPassesMax);

    std::vector<std::thread> others;
    others.reserve(static_cast<std::size_t>(count));
    for (int i = 1; i < count; ++i) {
        const auto part =
            words.subspan(static_cast<std::size_t>(i) * words_per_thread, words_per_thread);
        try {
            others.emplace_back([&measurement, i, part] { measurement.run(i, part); });
        } catch (const std::exception&) {
            // No more threads or no memory to be had. The running ones wait for the full number, so
            // let them go.
            measurement.done.store(true);
            for (int missing = i; missing <= count; ++missing) {
                measurement.ready.count_down();
            }
            for (std::thread& thread : others) {
                thread.join();
            }
            return 0;
        }
    }
    measurement.run(0, words.first(words_per_thread));
    for (std::thread& thread : others) {
        thread.join();
    }

    std::vector<double>& seconds = measurement.seconds;
    std::sort(seconds.begin(), seconds.end());
    const double median = seconds[seconds.size() / 2];
    const double bytes = static_cast<double>(words_per_thread * sizeof(std::uint64_t)) * count;
    return median > 0 ? bytes / median / 1e9 : 0;
}

}  // namespace hearth
