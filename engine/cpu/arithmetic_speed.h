// How fast the kernels multiply: what the forecast of a prompt's time rests on.
#pragma once

#include "base/thread_pool.h"
#include "cpu/kernels/kernels.h"

namespace hearth {

// Measures billions of multiplications and additions a second, for products of many tokens with
// quantised weights on all of the pool's threads. Takes a few milliseconds. 0: it could not be
// measured.
double measure_gflop_per_s(const kernels::KernelTable& table, ThreadPool& pool);

}  // namespace hearth
