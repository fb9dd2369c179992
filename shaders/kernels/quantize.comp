// Signed bytes and a scale for every 32 values of x [n_rows, columns], or, if HALVES, halves; a thread takes 32.
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "interfaces/quantize.h"
#include "quantize.glsl"

void main() {
    const uint block = gl_GlobalInvocationID.x;
    if (block >= p.n_rows * (p.columns / 32)) {
        return;
    }
    if (HALVES) {
        [[unroll]] for (uint i = 0; i < 8; ++i) {
            const vec4 value = x[block * 8 + i];
            bytes[block * 16 + 2 * i] = packHalf2x16(value.xy);
            bytes[block * 16 + 2 * i + 1] = packHalf2x16(value.zw);
        }
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
