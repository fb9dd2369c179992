// A predictor that needs no training: the gate itself, as the best matrix of a small rank.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <hearth/cancellation.h>
#include <hearth/result.h>

#include "base/thread_pool.h"

namespace hearth::tools {

struct LowRank {
    std::vector<float> fc1;  // [rank, cols]
    std::vector<float> fc2;  // [rows, rank]
};

// fc2 fc1 ~ matrix [rows, cols], by randomised subspace iteration (Halko, Martinsson, Tropp 2011,
// algorithms 4.4 and 5.1): exact where the matrix has that rank, else within some percent of the
// best there is. 0 < rank <= min(rows, cols). The same for every number of threads. Cancelled.
Result<LowRank> low_rank(std::span<const float> matrix, int rows, int cols, int rank,
                         std::uint64_t seed, ThreadPool& pool, const Cancellation& cancellation);

}  // namespace hearth::tools
