// y[t, c] = sum over i of partial[t, i, c] (+ bias[c]), in the order of i; t is the workgroups' row.
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "interfaces/reduce.h"

const uint AT_ONCE = 16;

void main() {
    const uint column = gl_GlobalInvocationID.x;
    if (column >= p.columns) {
        return;
    }
    const uint first = gl_WorkGroupID.y * p.parts;
    float sum = p.has_bias != 0 ? bias[column] : 0.0;
    // Several loads begin together. Their sum keeps its order; one beyond the last is not added.
    for (uint i = 0; i < p.parts; i += AT_ONCE) {
        float values[AT_ONCE];
        [[unroll]] for (uint k = 0; k < AT_ONCE; ++k) {
            values[k] = partial[(first + min(i + k, p.parts - 1)) * p.columns + column];
        }
        [[unroll]] for (uint k = 0; k < AT_ONCE; ++k) {
            sum += i + k < p.parts ? values[k] : 0.0;
        }
    }
    y[gl_WorkGroupID.y * p.columns + column] = sum;
}
