// What kernels do with neuron rows (gguf/neuron_row.h), each computed by itself.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gguf/blocks.h"
#include "gguf/neuron_row.h"

namespace hearth::kernels {

using hearth::kRowGroup;
using hearth::neuron_row_cols;
using hearth::row_code_bytes;

// y[i] = sum over c of w[index[i], c] * x[c] for i < n.
struct RowDot {
    const std::byte* rows;  // 64-byte aligned
    std::size_t stride;     // bytes from one row to the next, a multiple of kRowUnit
    int cols;               // neuron_row_cols()
    const std::uint16_t* index;
    int n;
    // x, zero beyond the last real column: f32[cols] for F32, F16 and BF16 weights, else
    // x[c] = d[c / 32] * q[c], and offset[b] = -8 * d[b] * (sum of q in block b).
    const float* x;
    const std::int8_t* q;
    const float* d;
    const float* offset;
    float* y;
};
using RowDotFunction = void (*)(const RowDot& task);

// y[p - p0] += sum over i < n of a[i] * w[index[i], column(p)], in the order of i. p runs over the
// places of groups [first_group, last_group), and p0 is the first of them. column(p) is
// accumulator_column(): sums stay in the order in which the nibbles are unpacked.
struct RowAdd {
    const std::byte* rows;
    std::size_t stride;
    int cols;
    const std::uint16_t* index;
    int n;
    const float* a;
    int first_group;
    int last_group;
    float* y;  // of first_group on, 64-byte aligned
};
using RowAddFunction = void (*)(const RowAdd& task);

constexpr int accumulator_column(CodeKind codes, int place) {
    if (is_float(codes) || codes == CodeKind::Bits8) {
        return place;
    }
    const int k = place % kRowGroup / 16;  // nibble of a dword
    const int lane = place % 16;           // dword
    return place / kRowGroup * kRowGroup + 4 * lane + k / 2 + 64 * (k % 2);
}

}  // namespace hearth::kernels
