// What scattered reads of a file cost through ReadQueue, by size and depth: reads a second, how
// long one takes, and the processor's time for it. That the bytes are right is the unit test's
// business.
//     flash_read_bench FILE [SECONDS [KIB...]]      (1 a line; of all sizes)
// Figures of a file in the host's page cache are those of the host: read a file larger than that.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#ifndef _WIN32
#include <sys/resource.h>
#endif

#include "base/aligned_buffer.h"
#include "flash/read_queue.h"

using namespace hearth;

namespace {

double processor_seconds() {
#ifdef _WIN32
    return 0;
#else
    rusage use{};
    getrusage(RUSAGE_SELF, &use);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(use.ru_utime) + seconds(use.ru_stime);
#endif
}

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

Result<void> run(const std::string& path, std::uint64_t bytes, int depth, double seconds) {
    // Before the queue, since it must outlive its reads. From 1 MiB on it is aligned to pages.
    const auto waiting = static_cast<std::size_t>(2 * depth + 16);
    auto memory = AlignedBuffer::create(waiting * bytes + (1 << 20), "memory of the reads");
    if (!memory) {
        return std::move(memory).error();
    }
    auto queue =
        ReadQueue::open(path, {.depth = depth, .merge_gap_bytes = 0, .largest_read_bytes = bytes});
    if (!queue) {
        return std::move(queue).error();
    }
    std::mt19937_64 random(1);
    const std::uint64_t places = std::max<std::uint64_t>(1, queue->size_bytes() / bytes);
    std::vector<ReadRequest> requests(waiting), again;
    std::vector<ReadDone> done(waiting);
    for (std::size_t i = 0; i < waiting; ++i) {
        requests[i] = {random() % places * bytes,
                       memory->span<std::byte>(i * bytes, static_cast<std::size_t>(bytes)), 0, i};
    }
    const double processor = processor_seconds(), begin = now();
    std::size_t count = 0;
    if (auto submitted = queue->submit(requests); !submitted) {
        return submitted;
    }
    while (now() < begin + seconds) {
        const std::size_t taken =
            queue->take(done, static_cast<std::size_t>(queue->depth() + 3) / 4);
        again.clear();
        for (std::size_t i = 0; i < taken; ++i) {
            if (!done[i].status) {
                return done[i].status;
            }
            ReadRequest& request = requests[done[i].ticket];
            request.offset = random() % places * bytes;
            again.push_back(request);
        }
        count += taken;
        if (auto submitted = queue->submit(again); !submitted) {
            return submitted;
        }
    }
    const double took = now() - begin;
    const double processor_us = (processor_seconds() - processor) * 1e6;
    const ReadQueue::Counters counters = queue->counters();
    const auto us = [](std::uint64_t ns) { return static_cast<double>(ns) / 1e3; };
    std::printf(
        "%5llu KiB  depth %2d  %8.0f reads/s  %5.2f GB/s  P50 %6.0f  P99 %6.0f us  "
        "processor %5.1f us a read  disk busy %3.0f %%\n",
        static_cast<unsigned long long>(bytes >> 10), queue->depth(),
        static_cast<double>(count) / took, static_cast<double>(count * bytes) / took / 1e9,
        us(counters.p50_ns), us(counters.p99_ns), processor_us / static_cast<double>(count),
        static_cast<double>(counters.busy_ns) / 1e7 / took);
    return {};
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "flash_read_bench FILE [SECONDS [KIB...]]\n");
        return 2;
    }
    const double seconds = argc > 2 ? std::atof(argv[2]) : 1;
    std::vector<std::uint64_t> sizes{4, 8, 16, 64, 256, 1024};
    if (argc > 3) {
        sizes.clear();
    }
    for (int i = 3; i < argc; ++i) {
        constexpr std::uint64_t kMost = 64 << 10;
        const std::uint64_t kib = std::strtoull(argv[i], nullptr, 10);
        if (kib == 0 || kib > kMost) {
            std::fprintf(stderr, "flash_read_bench: %s is no size, 1 to 65536 KiB\n", argv[i]);
            return 2;
        }
        sizes.push_back(kib);
    }
    for (const std::uint64_t kib : sizes) {
        for (const int depth : {1, 4, 8, 16, 32, 64}) {
            if (const auto ran = run(argv[1], kib << 10, depth, seconds); !ran) {
                std::fprintf(stderr, "%s\n", ran.error().message.c_str());
                return 1;
            }
        }
    }
    return 0;
}
