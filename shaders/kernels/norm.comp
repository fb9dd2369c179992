// Brings the residual stream up to date and norms it, a workgroup a token:
//   x = (x_from ? x_in : x) + add_scale * (a + b + c)   [n_tokens, columns]; the first ADDS of them
//                                              and times stream_scale[0], if SCALED
//   published = x                              if PUBLISH: where the processor reads it
//   normed = norm(x) * weight + bias           if NORM; as floats and, or, as signed bytes with a scale per 32,
//                                              or, if HALVES, as halves, as halves_at() says
// The root mean square norm, or that of x less its mean (LAYER_NORM); unless WEIGHED, normed = x. A block's output is
// normed in place: x is the first of its sums then, a and b are the others, and normed is x again.
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "interfaces/norm.h"
#include "row_sum.glsl"
#include "quantize.glsl"

void main() {
    const uint me = gl_LocalInvocationIndex;
    const uint quarter = p.columns / 4;
    const uint row = gl_WorkGroupID.x * quarter;
    float sum = 0;
    float squares = 0;
    vec4 mine = vec4(0);  // of a row that has a value for each thread: it is not read again
    const bool held = quarter <= WORKGROUP;
    for (uint i = me; i < quarter; i += WORKGROUP) {
        vec4 value = p.x_from != 0 ? x_in[row + i] : x[row + i];
        if (ADDS > 0) {
            value += p.add_scale * a[row + i];
        }
        if (ADDS > 1) {
            value += p.add_scale * b[row + i];
        }
        if (ADDS > 2) {
            value += p.add_scale * c[row + i];
        }
        if (SCALED) {
            value *= stream_scale[0];
        }
        if (ADDS > 0 || SCALED || p.x_from != 0) {
            x[row + i] = value;
        }
        if (PUBLISH) {
            published[row + i] = value;
        }
        mine = value;
        sum += dot(value, vec4(1));
        squares += dot(value, value);
    }
    if (!NORM) {
        return;
    }
    const float n = float(p.columns);
    float mean = 0;
    if (WEIGHED && LAYER_NORM) {
        mean = workgroup_sum(sum) / n;
        // Of what is left, anew: the difference of two large sums would have lost it.
        squares = 0;
        for (uint i = me; i < quarter; i += WORKGROUP) {
            const vec4 value = (held ? mine : x[row + i]) - mean;
            squares += dot(value, value);
        }
    }
    const float scale = WEIGHED ? norm_scale(workgroup_sum(squares), n, p.epsilon) : 1.0;
    // Eight neighbouring threads hold the 32 values of a block; all come to every barrier.
    for (uint base = 0; base < quarter; base += WORKGROUP) {
        const uint i = base + me;
        vec4 value = vec4(0);
        if (i < quarter) {
            value = held ? mine : x[row + i];
            if (WEIGHED) {
                value = (value - mean) * scale * weight[i];
            }
            if (HAS_BIAS) {
                value += bias[i];
            }
            if (WRITE_FLOATS) {
                normed[row + i] = value;
            }
        }
        if (WRITE_BYTES && HALVES) {
            if (i < quarter) {
                const uint to = halves_at(gl_WorkGroupID.x, gl_NumWorkGroups.x, i);
                normed_bytes[to] = packHalf2x16(value.xy);
                normed_bytes[to + 1] = packHalf2x16(value.zw);
            }
        } else if (WRITE_BYTES) {
            barrier();
            sums[me] = max_abs(value);
            barrier();
            float most = 0;
            for (uint k = 0; k < 8; ++k) {
                most = max(most, sums[(me & ~7u) + k]);
            }
            if (i < quarter) {
                normed_bytes[row + i] = pack_bytes(value, bytes_per(most));
                if ((i & 7) == 0) {
                    normed_scales[(row + i) / 8] = byte_scale(most);
                }
            }
        }
    }
}
