// Brings the residual stream up to date and norms it for a mixture with a dense block beside its experts, a workgroup a
// token. The three norms are root mean square norms of the same values, with weights of their own:
//   x = x + add_scale * a                                [n_tokens, columns]
//   published = x                                        if PUBLISH: where the processor reads it
//   router_in = norm(x) * router_weight * router_scale   floats
//   beside_in = norm(x) * beside_weight                  of the dense block; as floats and, or, as signed bytes with a
//   experts_in = norm(x) * experts_weight                scale per 32, or halves if HALVES (halves_at()), each as its
//                                                        flags say
// Agrees with the norms of ExpertsPath (cpu/feed_forward/) to rounding.
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "interfaces/norm_apart.h"
#include "row_sum.glsl"
#include "quantize.glsl"

// The largest size in the block of 32 values that the thread is of: eight neighbours hold it. All come to its barriers.
float most_of_block(vec4 value) {
    const uint me = gl_LocalInvocationIndex;
    barrier();
    sums[me] = max_abs(value);
    barrier();
    float most = 0;
    for (uint k = 0; k < 8; ++k) {
        most = max(most, sums[(me & ~7u) + k]);
    }
    return most;
}

// A function takes no buffer. `inside`: the thread has a value.
#define LEAVE(value, inside, at, in_floats, in_bytes, floats, bytes, scales) \
    if (in_floats && inside) {                                               \
        floats[at] = value;                                                  \
    }                                                                        \
    if (in_bytes && HALVES) {                                                \
        if (inside) {                                                        \
            bytes[halves_to] = packHalf2x16(value.xy);                       \
            bytes[halves_to + 1] = packHalf2x16(value.zw);                   \
        }                                                                    \
    } else if (in_bytes) {                                                   \
        const float most = most_of_block(value);                             \
        if (inside) {                                                        \
            bytes[at] = pack_bytes(value, bytes_per(most));                  \
            if ((at & 7) == 0) {                                             \
                scales[at / 8] = byte_scale(most);                           \
            }                                                                \
        }                                                                    \
    }

void main() {
    const uint me = gl_LocalInvocationIndex;
    const uint quarter = p.columns / 4;
    const uint row = gl_WorkGroupID.x * quarter;
    float squares = 0;
    vec4 mine = vec4(0);  // of a row that has a value for each thread: it is not read again
    const bool held = quarter <= WORKGROUP;
    for (uint i = me; i < quarter; i += WORKGROUP) {
        const vec4 value = x[row + i] + p.add_scale * a[row + i];
        x[row + i] = value;
        if (PUBLISH) {
            published[row + i] = value;
        }
        mine = value;
        squares += dot(value, value);
    }
    const float scale = norm_scale(workgroup_sum(squares), float(p.columns), p.epsilon);
    for (uint base = 0; base < quarter; base += WORKGROUP) {
        const uint i = base + me;
        const bool inside = i < quarter;
        const uint at = row + i;
        const uint halves_to = halves_at(gl_WorkGroupID.x, gl_NumWorkGroups.x, i);
        vec4 beside = vec4(0);
        vec4 experts = vec4(0);
        if (inside) {
            const vec4 value = (held ? mine : x[at]) * scale;
            router_in[at] = value * router_weight[i] * p.router_scale;
            beside = value * beside_weight[i];
            experts = value * experts_weight[i];
        }
        LEAVE(beside, inside, at, BESIDE_FLOATS, BESIDE_BYTES, beside_in, beside_bytes, beside_scales)
        LEAVE(experts, inside, at, EXPERTS_FLOATS, EXPERTS_BYTES, experts_in, experts_bytes, experts_scales)
    }
}
