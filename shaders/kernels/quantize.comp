// Signed bytes and a scale for every 32 values of x [n_rows, columns], which a thread takes, or, if HALVES, halves, as
// halves_at() says, of which a thread takes QUANTIZE_HALVES.
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "interfaces/quantize.h"
#include "quantize.glsl"

void main() {
    const uint block = gl_GlobalInvocationID.x;
    if (HALVES) {
        if (block >= p.n_rows * (p.columns / QUANTIZE_HALVES)) {
            return;
        }
        // Four neighbouring threads take 32 columns of a row, and the next four those of the next row: they lie side by
        // side when they are packed.
        const uint row = block / 4 % p.n_rows;
        const uint quarter = block / (4 * p.n_rows) * 8 + block % 4 * 2;
        const uint to = halves_at(row, p.n_rows, quarter);
        [[unroll]] for (uint i = 0; i < 2; ++i) {
            const vec4 value = x[row * (p.columns / 4) + quarter + i];
            bytes[to + 2 * i] = packHalf2x16(value.xy);
            bytes[to + 2 * i + 1] = packHalf2x16(value.zw);
        }
        return;
    }
    if (block >= p.n_rows * (p.columns / 32)) {
        return;
    }
    vec4 values[8];
    float most = 0;
    [[unroll]] for (uint i = 0; i < 8; ++i) {
        values[i] = x[block * 8 + i];
        most = max(most, max_abs(values[i]));
    }
    const float inverse = bytes_per(most);
    [[unroll]] for (uint i = 0; i < 8; ++i) {
        bytes[block * 8 + i] = pack_bytes(values[i], inverse);
    }
    scales[block] = byte_scale(most);
}
