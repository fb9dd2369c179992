// Attention with 16 lanes: a tile of keys is one vector.
#include "cpu/kernels/avx512/functions.h"
#include "cpu/kernels/avx512/lanes.h"

namespace hearth::kernels::avx512 {
namespace {

// Even and odd columns are summed apart: at four queries and two tiles 16 chains, and a broadcast
// query value serves two of them. Four queries times 64 columns of values are 16 sums as well.
constexpr int kScoreChains = 2;
constexpr int kScoreSums = 8;
constexpr int kMostTiles = 2;
constexpr int value_vectors(int /*n_queries*/) {
    return 4;
}
constexpr bool kGathersBatch = false;
constexpr bool kPartFuses = true;
constexpr int kByteSums = 16;

}  // namespace

#include "cpu/kernels/walks/attention.inc"

}  // namespace hearth::kernels::avx512
