// Parts the queries of gated attention from the gates behind them.
//   both      floats [n_tokens, n_head, 2, HEAD_DIM]
//   q gates   floats [n_tokens, n_head, HEAD_DIM]
// A thread takes a value of q and its gate.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "interfaces/part_gates.h"

void main() {
    const uint i = gl_GlobalInvocationID.x;
    if (i < p.n_values) {
        const uint from = i / HEAD_DIM * 2 * HEAD_DIM + i % HEAD_DIM;
        q[i] = both[from];
        gates[i] = both[from + HEAD_DIM];
    }
}
