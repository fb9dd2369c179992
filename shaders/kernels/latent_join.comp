// Joins what latent_attention.comp found in each part of the positions, in the order of the parts.
//   parts     latent_parts.glsl
//   attended  floats [n_tokens, n_head, RANK], overwritten
// A thread makes one word of two numbers (y: words; x: heads of tokens).
#version 460
#extension GL_GOOGLE_include_directive : require
#include "interfaces/latent_join.h"
#include "latent_parts.glsl"

shared vec2 weighed[PARTS];  // a part's weight and its exponent

void main() {
    const uint me = gl_LocalInvocationIndex;
    const uint query = gl_WorkGroupID.x;
    const uint n_parts = part_count();
    for (uint part = me; part < n_parts; part += WORKGROUP) {
        weighed[part] = parts[part_at(query, part) + VALUE_WORDS];
    }
    barrier();
    const uint word = gl_WorkGroupID.y * WORKGROUP + me;
    if (word >= VALUE_WORDS) {
        return;
    }
    float most = weighed[0].y;
    for (uint part = 1; part < n_parts; ++part) {
        most = max(most, weighed[part].y);
    }
    float total = 0;
    vec2 sum = vec2(0);
    for (uint part = 0; part < n_parts; ++part) {
        const float e = exp(weighed[part].y - most);
        total += e * weighed[part].x;
        sum += e * parts[part_at(query, part) + word];
    }
    attended[query * VALUE_WORDS + word] = sum / total;
}
