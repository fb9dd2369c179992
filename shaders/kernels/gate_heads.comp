// Applies gates to what heads gave, in place: x * sigmoid(gate), or where NORM is set
// x / sqrt(mean(x^2) + epsilon) * weight * silu(gate). With GATE_FIRST the mean is that of x * silu(gate), and each head has
// weights of its own.
//   attended gates   floats [n_tokens, n_head, HEAD_DIM]
//   weight           floats [HEAD_DIM], or [n_head, HEAD_DIM]
// A workgroup takes a head (x) of a token (y). generic/: sigmoid_mul, rms_norm and silu_mul.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "interfaces/gate_heads.h"
#include "norm.glsl"

void main() {
    const uint me = gl_LocalInvocationIndex;
    const uint at = (gl_WorkGroupID.y * p.n_head + gl_WorkGroupID.x) * HEAD_DIM;
    float scale = 1;
    if (NORM) {
        float squares = 0;
        for (uint i = me; i < HEAD_DIM; i += WORKGROUP) {
            if (GATE_FIRST) {
                attended[at + i] *= gates[at + i] / (1 + exp(-gates[at + i]));
            }
            squares += attended[at + i] * attended[at + i];
        }
        scale = norm_scale(tree_sum(squares), float(HEAD_DIM), p.epsilon);
    }
    const uint weight_at = GATE_FIRST ? gl_WorkGroupID.x * HEAD_DIM : 0;
    for (uint i = me; i < HEAD_DIM; i += WORKGROUP) {
        if (GATE_FIRST) {
            attended[at + i] *= scale * weight[weight_at + i];
            continue;
        }
        const float gate = gates[at + i];
        const float share = 1 / (1 + exp(-gate));
        attended[at + i] *= NORM ? scale * weight[i] * gate * share : share;
    }
}
