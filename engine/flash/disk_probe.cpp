#include "flash/disk_probe.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <random>
#include <string>
#include <utility>

#include "base/aligned_buffer.h"
#include "base/guarded.h"
#include "flash/direct_file.h"
#include "flash/read_queue.h"

#ifdef _WIN32
#include <windows.h>

#include "base/system_error.h"
#else
#include <sys/statvfs.h>
#endif

namespace hearth {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kSizes[] = {4 << 10, 8 << 10, 16 << 10, 64 << 10};
constexpr int kDepths[] = {1, 4, 8, 16, 32, 64};
constexpr std::uint64_t kNeuron = 8 << 10;
constexpr std::uint64_t kSequentialRead = 256 << 10;  // as a model streams
constexpr int kSequentialDepth = ReadQueue::kUsualDepth;
// Of the limit: the sequential part is as long as this many of the points of the random part.
constexpr int kSequentialShare = 6;
constexpr int kPoints = static_cast<int>(std::size(kSizes) * std::size(kDepths)) + kSequentialShare;

// Where reads of a measurement go, again and again: of huge pages, as weights and neurons are read
// into. Into small ones the same disk gave 1.1 GB/s in order instead of 2.6.
constexpr std::uint64_t kMemoryBytes = AlignedBuffer::kHugePagesFrom;

struct Measured {
    double per_s = 0;
    int depth = 0;  // as the queue allowed
};

// Keeps `depth` reads in flight until `end`. next() gives their offsets.
template <class Next>
Result<Measured> measure(const std::string& path, int depth, std::uint64_t read_bytes,
                         AlignedBuffer& memory, Clock::time_point end, const Next& next) {
    auto queue = ReadQueue::open(
        path, {.depth = depth, .merge_gap_bytes = 0, .largest_read_bytes = read_bytes});
    if (!queue) {
        return std::move(queue).error();
    }
    // Some wait in the queue, so that no reader waits for this thread.
    const std::uint64_t room = memory.bytes() / read_bytes;
    const auto waiting = static_cast<std::size_t>(
        std::min<std::uint64_t>(room, 2 * static_cast<std::uint64_t>(queue->depth()) + 16));
    std::vector<ReadRequest> requests(waiting);
    std::vector<ReadDone> done(waiting);
    for (std::size_t i = 0; i < waiting; ++i) {
        requests[i].ticket = i;
        requests[i].to =
            memory.span<std::byte>(i * read_bytes, static_cast<std::size_t>(read_bytes));
        requests[i].offset = next();
    }
    const Clock::time_point begin = Clock::now();
    if (auto submitted = queue->submit(requests); !submitted) {
        return std::move(submitted).error();
    }
    std::uint64_t count = 0;
    Clock::time_point now = begin;
    std::vector<ReadRequest> again;
    do {
        const std::size_t taken =
            queue->take(done, static_cast<std::size_t>(queue->depth() + 3) / 4);
        again.clear();
        for (std::size_t i = 0; i < taken; ++i) {
            if (!done[i].status) {
                return std::move(done[i].status).error();
            }
            again.push_back(requests[static_cast<std::size_t>(done[i].ticket)]);
            again.back().offset = next();
        }
        count += taken;
        now = Clock::now();
        if (now < end) {
            if (auto submitted = queue->submit(again); !submitted) {
                return std::move(submitted).error();
            }
        }
    } while (now < end);
    const double seconds = std::chrono::duration<double>(now - begin).count();
    // Whole numbers: as exact as they are, and kept without a change.
    return Measured{std::round(static_cast<double>(count) / seconds), queue->depth()};
}

Result<DiskProbe> probe(const std::string& path, std::chrono::milliseconds limit) {
    DiskProbe out{.disk = disk_of(path), .path = path};
    std::uint64_t file_bytes = 0;
    {
        const auto file = open_direct_file(path);
        if (!file) {
            return file.error();
        }
        const FileFacts& facts = (*file)->facts();
        out.direct = facts.direct;
        out.why_not_direct = facts.why_not_direct;
        out.alignment = facts.alignment;
        file_bytes = facts.size_bytes;
    }
    if (file_bytes < kProbedBytesMin) {
        return Error{ErrorCode::InvalidArgument,
                     path + ": " + std::to_string(file_bytes) +
                         " bytes are too few to measure a disk with, " +
                         std::to_string(kProbedBytesMin) + " are enough",
                     path,
                     {}};
    }
    if (!out.direct) {
        return out;
    }
    auto memory = AlignedBuffer::create(kMemoryBytes, "probe of a disk");
    if (!memory) {
        return std::move(memory).error();
    }

    const Clock::time_point begin = Clock::now();
    const Clock::time_point end = begin + limit;
    const Clock::duration point = std::chrono::duration_cast<Clock::duration>(limit) / kPoints;
    std::uint64_t at = 0;
    const auto sequential = measure(
        path, kSequentialDepth, kSequentialRead, *memory, begin + kSequentialShare * point, [&] {
            const std::uint64_t offset = at;
            at = at + 2 * kSequentialRead > file_bytes ? 0 : at + kSequentialRead;
            return offset;
        });
    if (!sequential) {
        return sequential.error();
    }
    out.sequential_bytes_per_s = sequential->per_s * static_cast<double>(kSequentialRead);

    std::mt19937_64 random(1);
    std::vector<RandomReads> measured;
    for (const int depth : kDepths) {
        for (const std::uint64_t bytes : kSizes) {
            const Clock::time_point now = Clock::now();
            if (now >= end && measured.size() >= std::size(kSizes)) {
                break;  // a slow disk: each size has a figure, the points missing are the deep ones
            }
            std::uniform_int_distribution<std::uint64_t> place(0, file_bytes / bytes - 1);
            const auto found =
                measure(path, depth, bytes, *memory, std::min(std::max(end, now), now + point),
                        [&] { return place(random) * bytes; });
            if (!found) {
                return found.error();
            }
            measured.push_back({bytes, found->depth, found->per_s});
        }
    }
    choose_reads(measured, out);
    return out;
}

}  // namespace

#ifdef _WIN32
std::string disk_of(const std::string& path) {
    const std::wstring wide = wide_path(path);
    wchar_t volume[MAX_PATH + 1] = {};
    DWORD serial = 0;
    if (!GetVolumePathNameW(wide.c_str(), volume, MAX_PATH) ||
        !GetVolumeInformationW(volume, nullptr, 0, &serial, nullptr, nullptr, nullptr, 0)) {
        return {};
    }
    return std::to_string(serial);
}
#else
std::string disk_of(const std::string& path) {
    struct statvfs system {};
    if (statvfs(path.c_str(), &system) != 0 || system.f_fsid == 0) {
        return {};
    }
    return std::to_string(system.f_fsid);
}
#endif

void choose_reads(std::span<const RandomReads> measured, DiskProbe& probe) {
    probe.random.clear();
    for (const RandomReads& one : measured) {
        const auto same = std::find_if(probe.random.begin(), probe.random.end(),
                                       [&](const auto& best) { return best.bytes == one.bytes; });
        if (same == probe.random.end()) {
            probe.random.push_back(one);
        } else if (one.per_s > same->per_s) {
            *same = one;
        }
    }
    std::sort(probe.random.begin(), probe.random.end(),
              [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
    probe.depth = 0;
    probe.largest_read_bytes = probe.merge_gap_bytes = 0;
    if (probe.random.empty() || !(probe.random.front().per_s > 0) ||
        !(probe.random.back().per_s > 0)) {
        return;
    }

    // The least depth that gives nearly all that 8 KB reads, a neuron's size, can have: each reader
    // more costs memory, and makes what is needed soonest wait behind more.
    constexpr double kNearlyAll = 0.95;
    const auto of_a_neuron = std::find_if(probe.random.begin(), probe.random.end(),
                                          [](const auto& best) { return best.bytes >= kNeuron; });
    const RandomReads& best =
        of_a_neuron == probe.random.end() ? probe.random.back() : *of_a_neuron;
    probe.depth = best.depth;
    for (const RandomReads& one : measured) {
        if (one.bytes == best.bytes && one.per_s >= kNearlyAll * best.per_s) {
            probe.depth = std::min(probe.depth, one.depth);
        }
    }

    // A read takes `fixed` + bytes * `per_byte` of the disk's time: the line through the smallest
    // and the largest size. A gap is worth reading while its bytes take less than another read; a
    // read is large enough when its bytes take four times what is fixed.
    const RandomReads& small = probe.random.front();
    const RandomReads& large = probe.random.back();
    constexpr double kLeastRead = 256 << 10;  // reads in order gain up to here: flash_read_bench
    constexpr double kMostGap = 128 << 10;
    double gap = kMostGap;  // a disk whose reads all take as long
    if (large.bytes > small.bytes) {
        const double per_byte =
            (1 / large.per_s - 1 / small.per_s) / static_cast<double>(large.bytes - small.bytes);
        const double fixed = 1 / small.per_s - per_byte * static_cast<double>(small.bytes);
        if (per_byte > 0) {
            gap = std::clamp(fixed / per_byte, 0.0, kMostGap);
        }
    }
    probe.merge_gap_bytes = static_cast<std::uint64_t>(gap) / 512 * 512;
    probe.largest_read_bytes =
        std::bit_ceil(static_cast<std::uint64_t>(std::max(4 * gap, kLeastRead)));
}

Result<DiskProbe> probe_disk(const std::string& path, std::chrono::milliseconds limit) {
    return guarded(path, [&] { return probe(path, limit); });
}

}  // namespace hearth
