// Leaves queries, keys and values of latent attention for the processor, which has what is rotated in front and rotates
// it itself.
//   queries   floats [n_tokens, n_head, PLAIN + ROTATED]
//   absorbed  floats [n_tokens, n_head, RANK]: the plain part of each query behind the matrix of its head's keys
//   latents   floats [n_tokens, RANK + ROTATED]: what is rotated stands behind the latent
//   norm      floats [RANK]: of the latent, x / sqrt(mean(x^2) + epsilon) * norm
//   q k v     floats [n_tokens, n_head, ROTATED + RANK], [n_tokens, ROTATED + RANK], [n_tokens, RANK]; overwritten
// A workgroup takes a head's query, or the key and the value (x: heads, then these; y: tokens).
#version 460
#extension GL_GOOGLE_include_directive : require
#include "interfaces/latent_leave.h"
#include "norm.glsl"

void main() {
    const uint me = gl_LocalInvocationIndex;
    const uint token = gl_WorkGroupID.y;
    const uint dim = ROTATED + RANK;
    if (gl_WorkGroupID.x < p.n_head) {
        const uint query = token * p.n_head + gl_WorkGroupID.x;
        for (uint i = me; i < dim; i += WORKGROUP) {
            q[query * dim + i] = i < ROTATED ? queries[query * (PLAIN + ROTATED) + PLAIN + i]
                                             : absorbed[query * RANK + i - ROTATED];
        }
        return;
    }
    const uint from = token * dim;
    float squares = 0;
    for (uint i = me; i < RANK; i += WORKGROUP) {
        squares += latents[from + i] * latents[from + i];
    }
    const float scale = norm_scale(tree_sum(squares), float(RANK), p.epsilon);
    for (uint i = me; i < dim; i += WORKGROUP) {
        if (i < ROTATED) {
            k[from + i] = latents[from + RANK + i];
        } else {
            const float value = latents[from + i - ROTATED] * scale * norm[i - ROTATED];
            k[from + i] = value;
            v[token * RANK + i - ROTATED] = value;
        }
    }
}
