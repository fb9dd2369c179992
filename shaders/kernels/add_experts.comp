// y[t] = sum of the outputs of token t's experts, in ascending order of experts (+ y[t], if `add` says so).
//   outputs  floats [rows, columns] of sort_experts.comp's rows
//   rows     [n_tokens, used]: the row of each pair, NOWHERE: it adds nothing
//   y        floats [n_tokens, columns]
//   bias     floats [the layer's experts, columns] (if BIASED): added to an output, times the weight of the pair in
//            chosen [n_tokens, used] of route.comp
#version 460
#extension GL_GOOGLE_include_directive : require
#include "interfaces/add_experts.h"

void main() {
    const uint quads = p.columns / 4;
    const uint at = gl_GlobalInvocationID.x;
    if (at >= quads * p.n_tokens) {
        return;
    }
    const uint token = at / quads;
    vec4 sum = p.add != 0 ? y[at] : vec4(0);
    for (uint j = 0; j < p.used; ++j) {
        const uint row = rows[token * p.used + j];
        if (row != NOWHERE) {
            sum += outputs[row * quads + at % quads];
            if (BIASED) {
                const uvec2 one = chosen[token * p.used + j];
                sum += uintBitsToFloat(one.y) * bias[one.x * quads + at % quads];
            }
        }
    }
    y[at] = sum;
}
