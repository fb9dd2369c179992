// y[c] = sum over i of partial[i, c] (+ bias[c]), in the order of i.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "interfaces/reduce.h"

void main() {
    const uint column = gl_GlobalInvocationID.x;
    if (column >= p.columns) {
        return;
    }
    float sum = p.has_bias != 0 ? bias[column] : 0.0;
    for (uint i = 0; i < p.parts; ++i) {
        sum += partial[i * p.columns + column];
    }
    y[column] = sum;
}
