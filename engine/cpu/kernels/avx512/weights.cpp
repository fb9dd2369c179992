// Weights times activations, with VNNI.
//
// A run of a tile's columns is eight registers of 16 rows x 4 columns, so eight vpdpbusd with a
// broadcast dword of activations give 16 exact int32 dot products. Scaling them costs one
// conversion, one multiplication and one fused multiply-add: 8 of 10 instructions on the two
// multiplier ports do the work the limit is computed from.
#include "cpu/kernels/avx512/functions.h"
#include "cpu/kernels/avx512/packed.h"
#include "cpu/kernels/avx512/simd.h"
#include "cpu/kernels/packed_tile.h"
#include "cpu/kernels/tables.h"
#include "gguf/packed_block.h"

namespace hearth::kernels {
namespace avx512 {
namespace {

constexpr int kVectors = kTileRows / kLanes;

#include "cpu/kernels/walks/codes.inc"
#include "cpu/kernels/walks/dots.inc"

// ---- floats: even and odd columns of four tiles are eight chains of four cycles at one token
// -----

constexpr int kPartColumns = 1 << 30;
constexpr int kFewTokens = 4;
constexpr int kFewTiles = 4;
constexpr int kFloatTokens = 8;
constexpr int kFloatVectors = 1;
constexpr std::size_t kFloatAheadBytes = 0;
constexpr int float_panel_tokens(int cols) {
    const int fit = 384 * 1024 / (cols * 4 + 1);
    return fit < 8 ? 8 : fit / 8 * 8;
}

// ---- codes -------------------------------------------------------------------------------------
// A batch runs over two tiles at a time, whose weights were first unpacked: 32 rows x 512 columns =
// 18 KB stay in L1 while all tokens of a panel pass over them, so unpacking costs 1/40 of the
// products. Four tokens times two tiles are 8 integer and 8 float sums: with 4 cycles of latency
// and two multipliers eight chains keep both busy, and a broadcast serves two of them, so that a
// run takes 58 loads in the time of 80 multiplications.

constexpr int kBatchTiles = 2;
constexpr int kBatchVectors = 2;
constexpr bool kSumsInRegisters = true;
constexpr bool kSumsWaitInY = false;
template <class Codes>
constexpr bool kUnpacks = true;
template <class Codes>
constexpr int kPartRuns = 512 / kBlockValues;
// A span of a panel, 128 tokens x 4096 columns = 640 KB, stays in the core's own L2 while all tiles
// pass over it.
template <class Codes>
constexpr int kSpanRuns = 4096 / kBlockValues;
constexpr int kPanelTokens = 128;
constexpr int panel_tokens(int /*cols*/) {
    return kPanelTokens;
}
// One token: one stream a core (two and four streams were slower here). Two chains of four
// vpdpbusd: one chain of eight is 32 cycles a run, more than the out-of-order window hides (48
// against 62 GB/s of Q4_0 on two cores whose reads reach 75).
constexpr int kOneTokenChains = 2;
// How far ahead one token fetches: twice what a core is delivered in the 100 ns that memory takes.
// The 1B shape decodes 93 instead of 85 tokens/s of Q4_0 with it; Q8_0, whose bytes need less work,
// 53 instead of 55.
constexpr std::size_t kAheadBytes = 8192;
template <class Codes>
constexpr bool kFetchesAhead = Codes::kGroupBytes < kRowGroup;

struct RegisterRow;
using AddedRow = RegisterRow;
constexpr bool kFetchesAddedRow = false;

template <int kMost, int kZero, int kAdds>
using RowProducts = Dot<kMost, kZero, kAdds>;
template <int kMost, int kZero, int kAdds>
using ColumnProducts = Dot<kMost, kZero, kAdds>;

#include "cpu/kernels/walks/columns.inc"
#include "cpu/kernels/walks/floats.inc"
#include "cpu/kernels/walks/rows.inc"
#include "cpu/kernels/walks/tiles.inc"
constexpr int kPlaneVectors = 1;  // registers whose planes one token takes together
// Over the sums of tiles.
#include "cpu/kernels/walks/packed.inc"
// Names them all.
#include "cpu/kernels/walks/table.inc"

}  // namespace
}  // namespace avx512

constinit const KernelTable kAvx512 =
    avx512::table("avx512", cpu_flags::kAvx2 | cpu_flags::kAvx512 | cpu_flags::kAvx512Vnni);

}  // namespace hearth::kernels
