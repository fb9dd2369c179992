// Weights times activations with vpdpbusd in its VEX form, for processors without AVX-512: it
// multiplies unsigned by signed bytes and adds four products to a lane. The rest is AVX2's.
//
// For 8 rows x 1 token x 32 columns 8 vpdpbusd + 1 conversion + 1 multiplication + 1 fused
// multiply-add: 10 of 11 go through the two multiplying pipes, 5 cycles; 5.5 measured on Zen 5.
// Turning the four tokens' values round in a register instead of broadcasting them takes half the
// loads and is no faster.
#include "cpu/kernels/avx2/dots.h"
#include "cpu/kernels/avx2/functions.h"
#include "cpu/kernels/avx2/packed.h"
#include "cpu/kernels/avx2/simd.h"
#include "cpu/kernels/packed_tile.h"
#include "cpu/kernels/tables.h"
#include "gguf/packed_block.h"

namespace hearth::kernels {
namespace avxvnni {
namespace {

using namespace avx2;

// Codes stay unsigned, whatever their zero.
constexpr int kMostZeroLeft = 255;
inline Ints dot(Ints sum, Bytes codes, Bytes values) {
    return _mm256_dpbusd_avx_epi32(sum, codes, values);
}

#include "cpu/kernels/walks/codes.inc"
#include "cpu/kernels/walks/dots.inc"

template <class Codes>
constexpr int kPartRuns = 32;  // 18 KB of L1
// The packed bytes of 8 bits are what vpdpbusd takes.
template <class Codes>
constexpr bool kUnpacks = Codes::kMost <= 127;
constexpr int kOneTokenChains = 2;
#include "cpu/kernels/avx2/blocking.inc"

// Rows of 8 bits are made signed, as AVX2 makes them, so that both give the same bits.
template <int kMost, int kZero, int kAdds>
using RowProducts = avx2::Dot<kMost, kZero, kAdds>;
template <int kMost, int kZero, int kAdds>
using ColumnProducts = Dot<kMost, kZero, kAdds>;

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
}  // namespace avxvnni

constinit const KernelTable kAvxVnni =
    avxvnni::table("avxvnni", cpu_flags::kAvx2 | cpu_flags::kAvxVnni);

}  // namespace hearth::kernels
