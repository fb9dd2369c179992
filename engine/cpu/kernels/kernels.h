// The table of arithmetic one instruction set offers, and the forms its operands take.
//
// Packed weights. Every table reads the same layout, made once while loading: rows go in tiles of
// 16, and a tile interleaves its rows so that a vector lane is a row. A dot product then never
// needs a sum across lanes, each row's sum has one fixed order whatever the batch and the thread,
// and the tile streams from memory in address order. Rows beyond the last are zero. With T = 16
// rows, per tile:
//   F32        per column:   f32[T]                                          64 bytes
//   F16, BF16  per column:   u16[T]                                          32 bytes
//   Q8_0       per 32 cols:  f16 d[T]; u8 q[8][T][4], q[g][r][j] = 128 + value(r, 4g + j)
//   Q4_0       per 32 cols:  f16 d[T]; u8 q[4][T][4], low nibble of q[g][r][j] = 8 + value(r, 4g +
//   j),
//                            high nibble = 8 + value(r, 16 + 4g + j)
// so a tile has as many bytes as its 16 rows have in the file. Quantised values are stored with an
// offset because the integer dot instructions multiply unsigned by signed.
//
// Activations. A row of n values for quantised weights, n a multiple of 32:
//   i8 q[n]; f32 d[n / 32]; i32 offset[n / 32]   value(i) = d[i / 32] * q[i], -127 <= q <= 127,
//   offset[b] = -8 * sum of the block's q: what Q4_0's stored 8s add too much (times 16: Q8_0's
//   128s)
// For F32, F16 and BF16 weights: f32[n].
#pragma once

#include <cstddef>
#include <cstdint>

#include "gguf/blocks.h"
#include "gguf/dtype.h"
#include "hardware/cpu_flags.h"

namespace hearth::kernels {

inline constexpr int kTileRows = 16;
// Keys are stored in tiles like F16 weights; a tile is 16 positions.
inline constexpr int kAttentionChunk = 128;  // positions whose scores are held at once
inline constexpr int kAttentionQueries = 8;  // most queries one attention() call takes
inline constexpr int kMaxHeadDim = 1024;

constexpr std::size_t activation_row_bytes(int n) {
    return static_cast<std::size_t>(n) + static_cast<std::size_t>(n / kBlockValues) * 8;
}

// y[t, r] = sum over c of w[r, c] * x[t, c] for first_row <= r < last_row.
struct Matmul {
    const std::byte* w;    // packed; the whole matrix
    int cols;              // of w
    int first_row;         // a multiple of kTileRows
    int last_row;          // rows of the matrix, or a multiple of kTileRows
    const std::byte* x;    // n_tokens activation rows, 64-byte aligned for n_tokens == 1
    std::size_t x_stride;  // bytes from one to the next
    int n_tokens;
    float* y;              // y[t * y_stride + r]: indexed by absolute row
    std::size_t y_stride;  // floats
};
using MatmulFunction = void (*)(const Matmul& task);

// One key/value head and the queries of up to kAttentionQueries (token, head) pairs that read it:
// out[i] = sum over p of softmax(scale * q[i] . k[p]) v[p], where p runs over the first n_cached
// positions of the cache and then over the first n_batch[i] of the batch. What a batch computed
// itself it reads in float; rounding to the cache's F16 touches only what comes later.
struct Attention {
    const float* const* q;  // n_queries pointers to [head_dim]
    float* const* out;      // n_queries pointers to [head_dim], overwritten
    int n_queries;
    int head_dim;  // even, at most kMaxHeadDim
    float scale;
    int n_cached;            // the same for all queries; n_cached + n_batch[i] is at least 1
    const std::uint16_t* k;  // F16 tiles [.. / 16][head_dim][16]
    const std::uint16_t* v;  // F16 rows [..][head_dim]
    const int* n_batch;      // n_queries numbers
    const float* k_batch;    // tiles as of k
    const float* v_batch;    // rows, v_batch_stride floats apart
    std::size_t v_batch_stride;
};

// Functions take raw pointers, overlap nothing unless said, and cannot fail. Results of a row do
// not depend on what other rows or tokens are in the call.
struct KernelTable {
    const char* name;
    std::uint32_t needs;  // cpu_flags, all of them

    MatmulFunction matmul_f32;
    MatmulFunction matmul_f16;
    MatmulFunction matmul_bf16;
    MatmulFunction matmul_q8_0;
    MatmulFunction matmul_q4_0;

    // n_blocks times 32 values to the three parts of an activation row. d = max|x| / 127, q rounded
    // to nearest, ties to even; q is 0 for what is no number and beside an infinity, whose d stays
    // infinite, so that damage shows in the result instead of passing for small values.
    void (*quantize_blocks)(const float* x, std::int8_t* q, float* d, std::int32_t* offset,
                            int n_blocks);
    // IEEE half, ties to even.
    void (*to_half)(const float* x, std::uint16_t* y, int n);

    // y[i] = x[i] * weight[i] / sqrt(mean(x^2) + eps); y may be x.
    void (*rms_norm)(const float* x, const float* weight, float eps, float* y, int n);
    // y[i] += x[i]
    void (*add)(const float* x, float* y, int n);
    // y[i] = f(gate[i], up[i]); y may be gate or up.
    void (*silu_mul)(const float* gate, const float* up, float* y, int n);
    void (*relu_mul)(const float* gate, const float* up, float* y, int n);
    void (*drelu_mul)(const float* gate, const float* up, float* y, int n);

    void (*attention)(const Attention& task);
};

inline constexpr int kMostTables = 8;
// Writes pointers to every table a processor with these flags can run, "generic" first, fastest
// last, to out[kMostTables]; returns how many.
int available(std::uint32_t cpu_flags, const KernelTable** out);

// The fastest, or the one `name` asks for ("" or null: fastest). Null: no such table here.
const KernelTable* select(std::uint32_t cpu_flags, const char* name);

MatmulFunction matmul_for(const KernelTable& table, DType type);
// Whether weights of this type take quantised activations.
constexpr bool takes_quantized(DType type) {
    return type == DType::Q8_0 || type == DType::Q4_0;
}

}  // namespace hearth::kernels
