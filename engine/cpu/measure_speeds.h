// How fast the kernels read and multiply the weights of a model: what forecasts rest on.
#pragma once

#include "base/thread_pool.h"
#include "compute/kernel_speeds.h"
#include "cpu/kernels/kernels.h"

namespace hearth {

// Measures with weights as large as the model's, up to most_bytes, since a small model is read from
// the caches; measured_bytes() says how many no cache holds. A core that multiplies asks for less
// at once than one that only reads: two cores of Sapphire Rapids read 31 to 56 GB/s, and 25 while
// they multiply. So the memory's own bandwidth (hardware/bandwidth.h) says little. Takes about 0.4
// s and all of the pool's threads.
KernelSpeeds measure_kernel_speeds(const kernels::KernelTable& table, ThreadPool& pool,
                                   const UsualMatrix& usual, std::uint64_t most_bytes);

// Three times the processors' caches, since a cache that holds a third of what is read in turn
// still serves some of it: 256 MiB to 1 GiB, and at most an eighth of the memory that is free. A
// server's 300 MiB of cache served all of 256 MiB at 210 GB/s, where decoding reads 85
// (docs/measurements/nvidia-h200.md).
std::uint64_t measured_bytes(std::uint64_t cache_bytes, std::uint64_t available_bytes);

}  // namespace hearth
