// Weights times activations. A tile's 16 rows are two halves of 8 lanes.
#include "cpu/kernels/avx2/dots.h"
#include "cpu/kernels/avx2/functions.h"
#include "cpu/kernels/avx2/packed.h"
#include "cpu/kernels/avx2/simd.h"
#include "cpu/kernels/packed_tile.h"
#include "cpu/kernels/tables.h"
#include "gguf/packed_block.h"

namespace hearth::kernels {
namespace avx2 {
namespace {

#include "cpu/kernels/walks/codes.inc"

// 18 KB of L1.
template <class Codes>
constexpr int kPartRuns = Codes::kMost > 127 ? 16 : 32;
template <class Codes>
constexpr bool kUnpacks = true;
constexpr int kOneTokenChains = 1;
#include "cpu/kernels/avx2/blocking.inc"

template <int kMost, int kZero, int kAdds>
using RowProducts = Dot<kMost, kZero, kAdds>;
template <int kMost, int kZero, int kAdds>
using ColumnProducts =
    typename Choose<(kMost > 127), SplitDot<kZero>, Dot<kMost, kZero, kAdds>>::Type;

#include "cpu/kernels/walks/columns.inc"
#include "cpu/kernels/walks/floats.inc"
#include "cpu/kernels/walks/rows.inc"
#include "cpu/kernels/walks/tiles.inc"
constexpr int kPlaneVectors = 2;  // registers whose planes one token takes together
// Over the sums of tiles.
#include "cpu/kernels/walks/patterns.inc"
// Over patterns.
#include "cpu/kernels/walks/packed.inc"
// Names them all.
#include "cpu/kernels/walks/table.inc"

}  // namespace
}  // namespace avx2

constinit const KernelTable kAvx2 = avx2::table("avx2", cpu_flags::kAvx2);

}  // namespace hearth::kernels
