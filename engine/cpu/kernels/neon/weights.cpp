// Weights times activations with the dot product instruction: sdot multiplies signed by signed
// bytes and adds four products to each of four 32-bit lanes. A tile's 16 rows are four quarters of
// four lanes, and the activations come from a lane of a register that holds four groups of them.
#include "cpu/kernels/neon/functions.h"
#include "cpu/kernels/neon/packed.h"
#include "cpu/kernels/neon/simd.h"
#include "cpu/kernels/packed_tile.h"
#include "cpu/kernels/tables.h"
#include "gguf/packed_block.h"

namespace hearth::kernels {
namespace neon {
namespace {

#include "cpu/kernels/walks/codes.inc"
#include "cpu/kernels/walks/dots.inc"

constexpr int kVectors = kTileRows / kLanes;
// A panel of activations should stay in the core's own L2 (256 KB on the smaller ones that have the
// instruction) while all row tiles pass over it.
constexpr int panel_of(std::size_t token_bytes) {
    const int fit = static_cast<int>(192 * 1024 / (token_bytes + 1));
    return fit < 4 ? 4 : fit / 4 * 4;
}

// ---- floats: even and odd columns are summed apart, so that one token, which takes a whole tile,
// has 8 chains: a latency of 4 cycles times 2 pipes. Four tokens take half a tile: 16 sums + 4
// weights + 8 values = 28 registers of 32, and 2 conversions of F16 serve 8 multiplications.
// --------

constexpr int kPartColumns = 1 << 30;
constexpr int kFewTokens = 0;
constexpr int kFewTiles = 1;
constexpr int kFloatTokens = 4;
constexpr int kFloatVectors = 2;
constexpr std::size_t kFloatAheadBytes = 0;
constexpr int float_panel_tokens(int cols) {
    return panel_of(static_cast<std::size_t>(cols) * sizeof(float));
}

// ---- codes -------------------------------------------------------------------------------------
// For each run, quarter and token 8 sdot give four exact int32 dot products; a conversion, a
// multiplication and a fused multiply-add scale them. One token takes a whole tile, in the order of
// its memory: a core of two vector pipes reads 544 bytes of 8 bits in the 38 cycles of 32 sdot + 12
// to scale + 32 to make signed, so it waits for memory. Four tokens take half a tile, so that all
// stays in registers: 8 sums + 8 weights + 8 activations + 4 offsets + 1 scale + 2 temporaries = 31
// of 32. Weights are unpacked anew for each four tokens.

constexpr int kOneTokenChains = 1;
constexpr int kBatchTiles = 1;
constexpr int kBatchVectors = 2;
constexpr bool kSumsInRegisters = true;
constexpr bool kSumsWaitInY = true;
template <class Codes>
constexpr bool kUnpacks = false;
template <class Codes>
constexpr int kPartRuns = 1 << 20;
template <class Codes>
constexpr int kSpanRuns = kPartRuns<Codes>;
constexpr int kPanelTokens = kTokenGroup;
constexpr int panel_tokens(int cols) {
    return panel_of(activation_group_bytes(cols, 1));
}
constexpr std::size_t kAheadBytes = 0;
template <class Codes>
constexpr bool kFetchesAhead = false;

struct CachedRow;
using AddedRow = CachedRow;
constexpr bool kFetchesAddedRow = false;

// Rows lose their zero before they are multiplied: of four lanes' sums none is large.
template <int kMost, int kZero, int kAdds>
using RowProducts = Dot<kMost, kZero, kAdds, 0>;
template <int kMost, int kZero, int kAdds>
using ColumnProducts = Dot<kMost, kZero, kAdds>;

#include "cpu/kernels/walks/columns.inc"
#include "cpu/kernels/walks/floats.inc"
#include "cpu/kernels/walks/rows.inc"
#include "cpu/kernels/walks/tiles.inc"
constexpr int kPlaneVectors = 1;  // registers whose planes one token takes together
// Over the sums of tiles.
#include "cpu/kernels/walks/patterns.inc"
// Over patterns.
#include "cpu/kernels/walks/packed.inc"
// Names them all.
#include "cpu/kernels/walks/table.inc"

}  // namespace
}  // namespace neon

constinit const KernelTable kNeon = neon::table("neon", cpu_flags::kNeonDotprod);

}  // namespace hearth::kernels
