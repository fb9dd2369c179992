// Norms each head of q, of k and of v by itself, in place: x / sqrt(mean(x^2) + epsilon) * weight.
//   q k v           floats [n_tokens, n_head | n_head_kv, HEAD_DIM]
//   q_norm k_norm   floats [HEAD_DIM]; those of v, if NORM_V, have no weight
// If V_FROM_K values are the keys before their norm. A layer that keeps no keys has groups for its queries alone.
// A workgroup takes a head (x: those of q, then those of k, then those of v; y: tokens).
#version 460
#extension GL_GOOGLE_include_directive : require
#include "interfaces/head_norm.h"
#include "norm.glsl"

void main() {
    const uint me = gl_LocalInvocationIndex;
    const uint token = gl_WorkGroupID.y;
    const bool is_query = gl_WorkGroupID.x < p.n_head;
    const bool is_value = NORM_V && !V_FROM_K && gl_WorkGroupID.x >= p.n_head + p.n_head_kv;
    const uint head = gl_WorkGroupID.x - (is_query ? 0 : p.n_head) - (is_value ? p.n_head_kv : 0);
    const uint at = (token * (is_query ? p.n_head : p.n_head_kv) + head) * HEAD_DIM;
    float squares = 0;
    for (uint i = me; i < HEAD_DIM; i += WORKGROUP) {
        const float value = is_query ? q[at + i] : is_value ? v[at + i] : k[at + i];
        squares += value * value;
    }
    const float scale = norm_scale(tree_sum(squares), float(HEAD_DIM), p.epsilon);
    for (uint i = me; i < HEAD_DIM; i += WORKGROUP) {
        if (is_query) {
            q[at + i] *= scale * q_norm[i];
        } else if (is_value) {
            v[at + i] *= scale;
        } else {
            if (V_FROM_K) {
                v[at + i] = NORM_V ? k[at + i] * scale : k[at + i];
            }
            k[at + i] *= scale * k_norm[i];
        }
    }
}
