// Attention with 8 lanes. At 16384 positions one Zen 5 core reads 38 GB/s for one query (19 without
// fetching ahead; plain reads reach 42) and 24 for four (12 when each converted its values alone),
// bound by 8 multiply-adds for 32 bytes at two a cycle.
#include "cpu/kernels/avx2/functions.h"
#include "cpu/kernels/avx2/lanes.h"

namespace hearth::kernels::avx2 {
namespace {

// A tile is two vectors, and 8 sums are as many multiply-adds as two a cycle start while one takes
// 4: four times a query and a tile, or 8 of a query and a vector of values.
constexpr int kScoreChains = 1;
constexpr int kScoreSums = 4;
constexpr int kMostTiles = 4;
constexpr int value_vectors(int n_queries) {
    return 8 / n_queries;
}
constexpr bool kGathersBatch = true;  // 8 queries x 400 positions in 19 us instead of 23
constexpr bool kPartFuses = true;
constexpr int kByteSums = 8;

}  // namespace

#include "cpu/kernels/walks/attention.inc"

}  // namespace hearth::kernels::avx2
