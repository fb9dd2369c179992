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

}  // namespace hearth
