// How fast the kernels read and multiply the weights of a model: what forecasts rest on.
#pragma once

#include "base/thread_pool.h"
#include "compute/kernel_speeds.h"
#include "cpu/kernels/kernels.h"

namespace hearth {

// Measures with weights as large as the model's, up to what no cache holds, since a small model is
// read from the caches. A core that multiplies asks for less at once than one that only reads: two
// cores of Sapphire Rapids read 31 to 56 GB/s, and 25 while they multiply. So the memory's own
// bandwidth (hardware/bandwidth.h) says little. Takes about 0.4 s, all of the pool's threads and
// up to 256 MiB.
KernelSpeeds measure_kernel_speeds(const kernels::KernelTable& table, ThreadPool& pool,
                                   const UsualMatrix& usual);

}  // namespace hearth
