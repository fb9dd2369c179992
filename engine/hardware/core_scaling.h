// How many threads this machine is worth: what more of them add, measured, because topology lies
// in virtual machines (two threads of one core shown as two cores) and says nothing about how much
// a slow core helps.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hardware/cpu_features.h"

namespace hearth {

// Work done in a second by so many threads together, relative to the first measured count.
struct ThreadSpeed {
    int threads = 1;
    double speed = 1;
};

// Counts worth a measurement, ascending, at most five, never more than the processor time this
// process may have: one thread on each fast core, on each core, on each logical processor; and half
// the cores where every logical processor claims to be one.
std::vector<int> thread_candidates(const CpuFeatures& cpu);

// The count after which more threads stop adding: each next one is taken if it is faster than the
// last taken one by at least 15 %. `curve` ascends in threads; empty: 1.
int most_useful_threads(std::span<const ThreadSpeed> curve);

// Runs steps like those of a forward pass (short, many tasks, all threads wait for the last one)
// of plain arithmetic at every count. About 8 ms a candidate, plus starting the threads. A count
// the system refuses to give is left out.
std::vector<ThreadSpeed> measure_thread_speeds(std::span<const int> candidates);

// Weights from which on the number of threads is measured.
inline constexpr std::uint64_t kMeasuredWeightsBytes = std::uint64_t{1} << 30;

// The number of threads when nobody asked for one. For weights of 1 GiB and more it is measured (20
// to 40 ms, where reading the weights takes 130 or longer). For less it is the number of fast cores
// that the system counts, because a small model must answer in less time than measuring takes.
int default_threads(const CpuFeatures& cpu, std::uint64_t weights_bytes);

}  // namespace hearth
