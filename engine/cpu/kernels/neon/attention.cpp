// Attention with 4 lanes: a tile of keys is four vectors.
#include "cpu/kernels/neon/functions.h"
#include "cpu/kernels/neon/lanes.h"

namespace hearth::kernels::neon {
namespace {

// Four queries and a tile are 16 sums + 4 keys + 1 value of 32 registers; four queries and 16
// columns of values 16 sums + 4 values + 4 weights. Fewer queries have 8 sums at least: as many
// multiply-adds as hide a latency of 4 cycles in 2 pipes.
constexpr int kScoreChains = 1;
constexpr int kScoreSums = 4;
constexpr int kMostTiles = 1;
constexpr int value_vectors(int n_queries) {
    return n_queries == 4 ? 4 : 8;
}
constexpr bool kGathersBatch = false;
constexpr bool kPartFuses = false;
constexpr int kByteSums = 16;

}  // namespace

#include "cpu/kernels/walks/attention.inc"

}  // namespace hearth::kernels::neon
