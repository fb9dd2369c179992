// A kernel table holds the arithmetic that one instruction set offers. This header also defines the
// forms of its operands.
//
// Packed weights. Every table reads the same layout, which is made once while loading. Rows go in
// tiles of 16, and a tile interleaves its rows so that a vector lane is a row. A dot product then
// needs no sum across lanes. Each row's sum has one fixed order, whatever the batch and the thread.
// A tile streams from memory in address order. Rows beyond the last are zero. With T = 16 rows:
//   F32        per column:   f32[T]
//   F16, BF16  per column:   u16[T]
//   Codes      per 32 columns, behind the scales:
//     Bits8        u8 q[8][T][4]: q[g][r][j] = 128 + code(r, 4g + j)
//     the others   u8 q[4][T][4]: low nibble of q[g][r][j]: low four bits of code(r, 4g + j),
//                  high nibble: of code(r, 16 + 4g + j);
//                  u8 h[b][T][4], where b high bits lie apart: with s = 8 / b, b bits of
//                  h[g / s][r][j] from bit b * (g % s) on: those of code(r, 4g + j)
//   Scales     Half     per 32 columns: f16 d[T]; value = d * (code - zero)
//              HalfMin  per 32 columns: f16 d[T]; f16 minimum[T]; value = d * code + minimum
//              Bytes16  per 256: f16 d[T]; before the codes of each 32 of them i8 scale[2][T], of
//                       columns 0 to 15 and 16 to 31; value = d * scale * (code - zero)
//              Six      per 256: f16 d[T]; the tile's six bits of scale + 32; value = d * scale *
//                       code
//              SixMin   per 256: f16 d[T]; f16 minimum[T]; the tile's six bits of scale; those of
//                       m; value = d * scale * code + minimum * m
//              Power    per 32 columns: u8 exponent[T]; value = power_of(exponent) * code
//   Packed     per 256 columns: the bits of the file's blocks of the 16 rows (packed_tile.h)
//   Six bits of eight numbers n of each row, of the runs of 32 columns:
//                u8 low[4][T]: low nibble of low[i][r]: low four bits of n(r, i), high nibble: of
//                n(r, 4 + i); u8 high[2][T]: two bits of high[i][r] from bit 2 j on: the high ones
//                of n(r, 4 i + j)
// A tile has as many bytes as its 16 rows have in the file. Codes are stored without a sign,
// because the integer dot instructions multiply unsigned by signed.
//
// Activations for quantised weights. Tokens go in groups of 4. A single token is a group of one.
// The activations that a kernel reads for a block of columns then lie in one run of memory,
// whatever the number of tokens. With W = the group's width, 4 or 1, per group and 32 columns:
//   i8 q[8][W][4]; f32 d[W]; i32 offset[W]       value(32 b + 4 g + j, t) = d[t] * q[g][t][j],
//   -127 <= q <= 127; offset = -8 * sum of the token's 32 q, which takes back what Q4_0's stored
//   offset of 8 adds (times 16 for Q8_0's 128)
// The places of tokens that are missing from the last group hold anything. No result depends on
// them. For F32, F16 and BF16 weights: f32[n] per token.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "cpu/kernels/input_columns.h"
#include "cpu/kernels/neuron_rows.h"
#include "gguf/blocks.h"
#include "gguf/code_kinds.h"
#include "hardware/cpu_flags.h"
#include "model/attention_spec.h"

namespace hearth::kernels {

inline constexpr int kTileRows = 16;
// Bytes of the codes of 32 columns of a tile.
constexpr int tile_code_bytes(CodeKind codes) {
    return codes == CodeKind::Bits8 ? kTileRows * kBlockValues
                                    : kTileRows * (16 + 4 * high_bits(codes));
}
// Bytes of a tile's six bits.
inline constexpr int kTileSixBytes = 6 * kTileRows;
// Bytes of a tile before the codes of a block, and of those before the codes of each of its runs.
constexpr int tile_head_bytes(ScaleKind scales) {
    return scales == ScaleKind::Power
               ? kTileRows
               : half_count(scales) * (2 * kTileRows + (has_six_bits(scales) ? kTileSixBytes : 0));
}
constexpr int tile_run_scale_bytes(ScaleKind scales) {
    return scales == ScaleKind::Bytes16 ? 2 * kTileRows : 0;
}
// Keys are stored in tiles like F16 weights; a tile is 16 positions.
inline constexpr int kAttentionChunk = 128;  // positions whose scores are held at once
inline constexpr int kAttentionQueries = 8;  // most queries one attention() call takes
inline constexpr int kMaxHeadDim = 1024;

inline constexpr int kTokenGroup = 4;
constexpr int group_width(int n_tokens) {
    return n_tokens == 1 ? 1 : kTokenGroup;
}
constexpr std::size_t activation_block_bytes(int width) {
    return static_cast<std::size_t>(width) * (kBlockValues + 8);
}
constexpr std::size_t activation_group_bytes(int cols, int width) {
    return static_cast<std::size_t>(cols / kBlockValues) * activation_block_bytes(width);
}

// y[t, r] = sum over c of w[r, c] * x[t, c] for first_row <= r < last_row.
struct Matmul {
    const std::byte* w;    // packed; the whole matrix
    int cols;              // of w
    int first_row;         // a multiple of kTileRows
    int last_row;          // rows of the matrix, or a multiple of kTileRows
    const std::byte* x;    // float rows, or groups of group_width(n_tokens); 64-byte aligned
    std::size_t x_stride;  // bytes from one row or group to the next; groups: a multiple of 32
    int n_tokens;
    float* y;                         // y[t * y_stride + r]: indexed by absolute row
    std::size_t y_stride;             // floats
    Packing packing = Packing::None;  // of Packed weights, and the bytes of a block
    std::size_t block_bytes = 0;
};
using MatmulFunction = void (*)(const Matmul& task);

// A past of KvType::F16 has keys in tiles [.. / 16][head_dim][16], values in rows [..][value_dim].
// One of Q8_0 has both in tiles of 16 positions: signed bytes, of keys [head_dim][16], of values
// [16][value_dim], and behind them halves [their width / 32][16], the scales of 32 columns (the
// last of what is left). Both widths are then multiples of 16.
constexpr std::size_t scale_blocks(int dim) {
    return static_cast<std::size_t>((dim + kBlockValues - 1) / kBlockValues);
}
// dim: of keys, or of values.
constexpr std::size_t past_tile_bytes(KvType type, int dim) {
    const auto values = static_cast<std::size_t>(kTileRows) * static_cast<std::size_t>(dim);
    return type == KvType::F16 ? 2 * values : values + 2 * kTileRows * scale_blocks(dim);
}

// Attention of one key/value head, for up to kAttentionQueries (token, head) pairs that read it:
// out[i] = sum over p of softmax(score(q[i] . k[p])) v[p], score as the spec says. Here p runs over
// positions [from_cached[i], n_cached) of the cache and then over [from_batch[i], n_batch[i]) of
// the batch. A batch reads its own keys and values in float. Rounding to the cache's F16 touches
// only later batches; what becomes Q8_0 is rounded in the batch as well.
struct Attention {
    const AttentionSpec& spec;  // head_dim and value_dim are at most kMaxHeadDim
    const float* const* q;      // n_queries pointers to [head_dim]
    float* const* out;          // n_queries pointers to [value_dim], overwritten
    // Null, or n_queries numbers each: the largest scaled score and the sum of exp(score -
    // largest). If they are given, `out` is not divided by that sum, and the caller joins it with
    // the other parts of the past.
    float* largest;
    float* total;
    int n_queries;
    int n_cached;        // the same for all queries
    const std::byte* k;  // from the beginning of a tile on, as past_tile_bytes() says
    const std::byte* v;
    const int* n_batch;    // n_queries numbers; a query sees at least one position
    const float* k_batch;  // tiles [.. / 16][head_dim][16]
    const float* v_batch;  // rows, v_batch_stride floats apart
    std::size_t v_batch_stride;
    const int* from_cached = nullptr;  // n_queries numbers; null: 0 for all
    const int* from_batch = nullptr;   // likewise
};

// A panel of a delta net's state: so many columns of values of one head, [key_dim][kStatePanel]. It
// stays in the nearest cache while a batch goes through it. The last panel of a head of Mamba-2 may
// be half a panel, [key_dim][kHalfStatePanel].
inline constexpr int kStatePanel = 32;
inline constexpr int kHalfStatePanel = 16;

// Takes a panel S past n_tokens tokens, for each: S = decay S, change = beta (v - k S),
// S = S + k change, out = q S. A token's results do not depend on the tokens of the call.
struct DeltaNet {
    float* state;    // a panel, changed
    const float* q;  // [key_dim] a token, qk_stride floats apart
    const float* k;  // likewise
    const float* v;  // [kStatePanel] a token, v_stride apart
    std::size_t qk_stride;
    std::size_t v_stride;
    const float* decay;  // one a token, gate_stride apart
    const float* beta;
    std::size_t gate_stride;
    float* out;  // [kStatePanel] a token, out_stride apart, overwritten
    std::size_t out_stride;
    int key_dim;
    int n_tokens;  // at least 1
    // Of the panel: state_space alone takes kHalfStatePanel, too. v and out have as many.
    int columns = kStatePanel;
};

// A short convolution over time of n channels of a token:
//   y[i] = gate[i] * sum over j < kernel of taps[j * stride + i] * rows[j][i]
struct ShortConv {
    const float* const* rows;  // kernel tokens of n values, the latest last
    const float* taps;         // [kernel, n], a token's `stride` floats apart
    std::size_t stride;
    int kernel;
    const float* gate;            // null: y = silu(bias[i] + the sum)
    const float* bias = nullptr;  // likewise; null: 0
    float* y;
    int n;
};

// What multiplies with weights of one kind, in the layouts that hold them. Null: no such layout.
struct WeightKernels {
    MatmulFunction matmul;   // in tiles
    RowDotFunction row_dot;  // rows of neurons
    RowAddFunction row_add;
    ColumnFunction columns;  // by input
};

struct ByKind {
    WeightKernels of[kCodeKinds][kScaleKinds];

    constexpr WeightKernels& at(CodeKind codes, ScaleKind scales) {
        return of[static_cast<int>(codes)][static_cast<int>(scales)];
    }
    constexpr const WeightKernels& at(CodeKind codes, ScaleKind scales) const {
        return of[static_cast<int>(codes)][static_cast<int>(scales)];
    }
};

// Functions take raw pointers and cannot fail. Operands overlap nowhere unless a function says so.
// The result of a row does not depend on the other rows or tokens of the call.
struct KernelTable {
    const char* name;
    std::uint32_t needs;  // the cpu_flags that a processor must have, all of them

    ByKind weights;

#define HEARTH_FUNCTION(name, parameters) void(*name) parameters
#include "cpu/kernels/functions.inc"
};

inline constexpr int kMostTables = 8;
// Writes pointers to every table that a processor with these flags can run to out[kMostTables],
// from "generic" to the fastest, and returns how many there are.
int available(std::uint32_t cpu_flags, const KernelTable** out);

// Returns the table that `name` asks for, or the fastest if `name` is "" or null. Null: this
// processor runs no such table.
const KernelTable* select(std::uint32_t cpu_flags, const char* name);

}  // namespace hearth::kernels
