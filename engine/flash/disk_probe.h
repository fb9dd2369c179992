// How fast a disk reads, and how to read from it: measured on a file that lies there.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <hearth/result.h>

namespace hearth {

// Scattered reads of one size.
struct RandomReads {
    std::uint64_t bytes = 0;  // of a read
    int depth = 0;            // reads in flight at once
    double per_s = 0;
};

struct DiskProbe {
    std::string disk{};  // disk_of() the file
    std::string path{};  // of the file that was read
    bool direct = false;
    std::string
        why_not_direct{};  // then nothing was measured: what memory holds is no disk's speed
    std::uint64_t alignment = 0;
    double sequential_bytes_per_s = 0;
    std::vector<RandomReads> random{};  // each size at its fastest depth, ascending
    // What a ReadQueue of this disk's should be opened with.
    int depth = 0;
    std::uint64_t largest_read_bytes = 0;
    std::uint64_t merge_gap_bytes = 0;
};

// The file system that a file lies on, as one word that stays the same over restarts of the machine
// where the system has such a word; empty: not known.
std::string disk_of(const std::string& path);

// Reads through a ReadQueue, some hundred megabytes on a fast disk, and returns after about
// `limit`, later if each size was not read by then. As ReadQueue::open();
// InvalidArgument: the file is smaller than kProbedBytesMin; ReadFailed.
inline constexpr std::uint64_t kProbedBytesMin = 16 << 20;
Result<DiskProbe> probe_disk(const std::string& path,
                             std::chrono::milliseconds limit = std::chrono::milliseconds(1500));

// Fills in `random`, depth, largest_read_bytes and merge_gap_bytes from what was measured, in any
// order. Nothing measured: 0 everywhere.
void choose_reads(std::span<const RandomReads> measured, DiskProbe& probe);

}  // namespace hearth
